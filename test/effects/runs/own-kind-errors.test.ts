import { describe, expect, it } from 'vitest'
import { parseSettings } from '../../../src/effects/configuration/config.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { openSwarm } from '../swarm.ts'

/** One attempt of a custom kind that runs this script. */
const attempt = async (script: string, more = '') => {
  const swarm = await openSwarm({
    config: `agents: {default: mine, kinds: {mine: {command: [sh, -c, ${JSON.stringify(script)}]${more}}}}\n`,
  })
  const { id } = await swarm.task({})
  const run = await swarm.begin()
  await swarm.ended(run)
  await settle(swarm.world, run, 'ended')
  return swarm.show(id)
}

describe('a custom kind', () => {
  it.each([
    ['is over its limit', 'echo "HTTP 429 Too Many Requests"; exit 1', ''],
    ['is not logged in', 'echo "request failed: 401 Unauthorized" >&2; exit 2', ''],
    ['is over its limit and says success', 'echo "Error: rate limit exceeded"', ''],
    ['says so in its own words', 'echo "Out of FUEL"; echo bye; exit 1', ', errors: {limited: ["out of fuel"]}'],
  ])('that %s uses no retry', async (_, script, more) => {
    expect(await attempt(script, more)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      attempts: [{ outcome: 'unavailable' }],
    })
  })

  it('that reports the reset time of its limit waits until then', async () => {
    const { notBefore, attempts } = await attempt('echo "quota exceeded, try again in 2 hours"; exit 1')
    expect(Date.parse(notBefore!) - Date.parse(attempts[0]!.endedAt!)).toBeGreaterThan(7_100_000)
  })

  it.each([
    ['that worked on after a limit', 'echo "429 Too Many Requests"; seq 30; exit 1', ''],
    ['that failed for another reason', 'echo "no compiler"; exit 1', ', errors: {limited: ["fuel"]}'],
  ])('%s has failed', async (_, script, more) => {
    expect(await attempt(script, more)).toMatchObject({ retryCount: 1, attempts: [{ outcome: 'failed' }] })
  })
})

it('an invalid error pattern is refused with its place', () => {
  expect(() =>
    parseSettings('agents:\n  kinds:\n    mine: {command: [x], errors: {limited: ["("]}}\n', 'config.yaml'),
  ).toThrow(/config\.yaml:3.*regular expression/)
})

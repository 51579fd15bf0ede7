import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { outputPath } from '../../src/effects/files/paths.ts'
import { livenessOf } from '../../src/effects/processes/identity.ts'
import { openSwarm, read, until } from '../effects/swarm.ts'
import { start } from './program.ts'
import { connectionOf } from '../support/store.ts'

/** Counts until a file `go` appears; then ends in order. */
const counting =
  'i=0; while [ ! -e "$AISWARM_ROOT/go" ]; do i=$((i + 1)); echo "line $i"; sleep 0.02; done; echo "the end"'

it('agents outlive their supervisor, and the next supervisor takes them over', async () => {
  const swarm = await openSwarm({ config: 'lease: {ttl: 2s, heartbeat: 300ms}\n' })
  const lines = (agentId: string): readonly string[] =>
    readFileSync(outputPath(swarm.root, agentId), 'utf8').split('\n')
  for (const name of ['one', 'two', 'three']) {
    await swarm.build(name)
    await swarm.task({ command: counting, targetWorktree: name })
  }

  const first = start(swarm.root, ['run'])
  const before = await until('three agents at work', async () => {
    const runs = await swarm.runs()
    return runs.length === 3 && runs.every(({ process }) => process === 'started') && runs
  })
  first.child.kill('SIGKILL')
  await first.ended

  const atDeath = before.map(({ agentId }) => lines(agentId).length)
  await until('more of their output', () => before.every(({ agentId }, i) => lines(agentId).length > atDeath[i]! + 20))
  expect(before.map(({ identity }) => livenessOf(identity!))).toEqual(['alive', 'alive', 'alive'])

  const second = start(swarm.root, ['run', '--until-idle'])
  await until(
    'the second supervisor',
    () =>
      connectionOf(swarm.core.store)
        .prepare("SELECT holder_pid FROM leases WHERE name = 'supervisor'")
        .pluck()
        .get() === second.pid,
  )
  // The next supervisor has renewed their leases once these last longer than the first one had granted.
  const lease = (await swarm.show(1)).leaseExpiresAt!
  await until('a renewed lease', async () => (await swarm.show(1)).leaseExpiresAt! > lease)
  expect(await swarm.runs()).toEqual(before)

  writeFileSync(swarm.path('go'), '')
  const { code, out } = await second.ended
  expect(out).toContain('3 tasks completed.')
  expect(code).toBe(0)
  for (const { agentId, taskId, identity } of before) {
    expect(await swarm.show(taskId!)).toMatchObject({
      status: 'completed',
      attempt: 1,
      attempts: [{ agentId, outcome: 'completed' }],
    })
    expect(await swarm.agent(agentId)).toMatchObject({
      status: 'terminated',
      run: 1,
      processId: identity!.pid,
      exitCode: 0,
    })
    const output = read(outputPath(swarm.root, agentId)).trimEnd().split('\n')
    expect(output).toEqual([...Array.from({ length: output.length - 1 }, (_, i) => `line ${i + 1}`), 'the end'])
  }
})

import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { insertRequest } from '../../src/db/requests.ts'
import { person } from '../../src/domain/actor.ts'
import { answerRequest } from '../../src/operations/answer-request.ts'
import { act, perform } from '../../src/operations/kernel/perform.ts'
import { getRequest } from '../../src/operations/list-requests.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { refusal } from '../support/core.ts'
import { openSwarm } from './swarm.ts'

/** An agent has asked to run the tests. */
const openAsked = async () => {
  const swarm = await openSwarm()
  await perform(swarm.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
  await swarm.core.store.write((db) =>
    insertRequest(db, { kind: 'permission', agent_id: 'backend-1', tool: 'Bash', subject: 'npm test', rule: 'shell(npm test)', asked_at: swarm.core.clock() }),
  )
  return {
    config: swarm.path('.aiswarm', 'config.yaml'),
    folder: swarm.path('.aiswarm'),
    always: () => act(swarm.connection, answerRequest, { requestId: 1, verdict: 'always' }),
    status: async () => (await perform(swarm.core, getRequest, { requestId: 1 }, person)).status,
  }
}

it.each([
  ['is no YAML', 'agents: [\n', ':2: '],
  ['holds what no key allows', 'agents:\n  personas:\n    implementer:\n      approvals: never\n', ':3: agents.personas.implementer'],
  ['is a list', '- agents\n', ':1: the file: '],
])('a request stays open while the configuration %s, and is answered once that is repaired', async (_, broken, place) => {
  const { config, always, status } = await openAsked()
  writeFileSync(config, broken)
  const { code, message } = await refusal(always())
  expect(code).toBe('config_invalid')
  expect(message).toContain(`${config}${place}`)
  expect(message).toMatch(/\. The rule shell\(npm test\) was not added; repair the file first\.$/)
  expect(readFileSync(config, 'utf8')).toBe(broken)
  expect(await status()).toBe('open')
  writeFileSync(config, '')
  expect(await always()).toMatchObject({ status: 'allowed', answer: 'always' })
  expect(readFileSync(config, 'utf8')).toContain('- shell(npm test)')
})

it.skipIf(process.getuid?.() === 0)('a request stays open while the configuration cannot be written', async () => {
  const { config, folder, always, status } = await openAsked()
  chmodSync(folder, 0o555)
  try {
    const { code, message } = await refusal(always())
    expect([code, message]).toEqual(['not_writable', `${config} cannot be written, so the rule shell(npm test) was not added to it.`])
  } finally {
    chmodSync(folder, 0o755)
  }
  expect(await status()).toBe('open')
})

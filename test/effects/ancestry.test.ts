import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { agentAbove } from '../../src/effects/ancestry.ts'
import { act } from '../../src/operations/kernel/perform.ts'
import { requestIntegration } from '../../src/operations/request-integration.ts'
import { commit, openSwarm, read, until } from './swarm.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')

it('a test is no agent', async () => {
  const swarm = await openSwarm()
  expect(await agentAbove(swarm.world)).toBeUndefined()
})

it.each([
  ['clears its environment', ''],
  ['begins a session of its own besides', 'setsid -w '],
])('an agent that %s is still known', async (_, prefix) => {
  const swarm = await openSwarm()
  const said = join(swarm.root, '../said')
  await swarm.task({ command: `${prefix}env -i PATH="$PATH" '${process.execPath}' '${main}' worktree undo > '${said}' 2>&1; true` })
  await swarm.begin()
  await until('an answer', () => existsSync(said) && readFileSync(said, 'utf8').includes('\n'))
  expect(readFileSync(said, 'utf8')).toMatch(/Agent \S+ may not undo an integration; only a person may do it\./)
})

it('the code of a branch is no person while its merge is verified', async () => {
  const verify = `setsid -w env -i PATH="$PATH" '${process.execPath}' '${main}' worktree undo > "$AISWARM_ROOT/../said" 2>&1; true`
  const swarm = await openSwarm({ files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': `integration: {verify: ${JSON.stringify(verify)}}\n` } })
  commit(await swarm.build('auth'), { a: 'x' })
  await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  expect(read(swarm.root, '../said')).toBe('The verification of auth may not undo an integration; only a person may do it.\n')
})

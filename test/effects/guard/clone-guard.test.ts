import { join } from 'node:path'
import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { CONFIGURATION_CHANGED } from '../../../src/domain/integration/trusted-configuration.ts'
import { enrolRepository } from '../../../src/effects/files/git-dir.ts'
import { beginGuard, checkGuard } from '../../../src/effects/guard/guard.ts'
import { outsideOf } from '../../../src/effects/opening/outside.ts'
import type { World } from '../../../src/effects/world.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { trustConfiguration } from '../../../src/operations/integration/drift-answers.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, git, openSwarm, read, sh } from '../swarm.ts'

/** A filter that writes capitals into the folder. */
const capitals = (root: string): void => {
  git(root, 'config', 'filter.capitals.smudge', 'tr a-z A-Z')
  git(root, 'config', 'filter.capitals.clean', 'tr A-Z a-z')
}

/** The first host of a board, and the clone of host b, prepared before anything of aiswarm runs in it. */
const withClone = async (prepare: (root: string) => void = () => {}) => {
  const swarm = await openSwarm({ files: { 'a.txt': 'one\n', '.gitattributes': '*.txt filter=capitals\n' } })
  const root = join(temporaryFolder(), 'shop')
  sh(swarm.root, `git clone --quiet . "${root}"`)
  prepare(root)
  enrolRepository(root)
  const { secret } = await perform(swarm.core, makeJoinCode, {}, person)
  await perform(swarm.core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root }, person)
  const other = await swarm.open()
  const world: World = { ...other, core: { ...other.core, host: 'bbbbbbbb', root } }
  await beginGuard(world)
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  const build = (name: string) => act(connection, createWorktreeOn, { name, branchName: name, host: 'b' })
  const changed = async (host?: string) =>
    (await perform(swarm.core, readGuard, host === undefined ? {} : { host }, person))?.changed
  const waiting = async () =>
    (await perform({ ...swarm.core, host: LOCAL }, readBoard, {}, person)).attention.map(({ kind, host, command }) => [
      kind,
      host,
      command,
    ])
  return { swarm, root, world, build, changed, waiting }
}

it('a changed configuration in the clone of a host waits for a person with its lines, and only there its filters', async () => {
  const { swarm, root, world, build, changed, waiting } = await withClone()
  expect(await checkGuard(world)).toBe(true)
  capitals(root)
  sh(root, "printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit")
  expect((await refusal(build('w'))).code).toBe('configuration_changed')
  expect((await changed('b'))!.lines).toEqual([
    '+ config filter.capitals.clean = tr A-Z a-z',
    '+ config filter.capitals.smudge = tr a-z A-Z',
    '+ hooks/pre-commit, executable:',
    '+   #!/bin/sh',
  ])
  expect(await waiting()).toEqual([['configuration', 'b', 'aiswarm worktree trust --host b']])
  // The main checkout is as it was, so merges continue.
  expect([await changed(), await checkGuard(swarm.world)]).toEqual([null, true])
  const { hash } = (await changed('b'))!
  await perform(swarm.core, trustConfiguration, { hash, host: 'b' }, person)
  expect([await waiting(), await checkGuard(world)]).toEqual([[], true])
  expect(read((await build('w')).path, 'a.txt')).toBe('ONE\n')
})

it('a changed configuration in the clone of a host that is reverted there leaves the inbox', async () => {
  const { root, world, changed, waiting } = await withClone()
  capitals(root)
  expect(await checkGuard(world)).toBe(false)
  git(root, 'config', '--remove-section', 'filter.capitals')
  expect(await checkGuard(world)).toBe(true)
  expect([await changed('b'), await waiting()]).toEqual([null, []])
})

it('a changed configuration in the clone of a host holds up no merge; one in the main checkout does', async () => {
  const { swarm, root, world } = await withClone()
  const { path } = await act(swarm.connection, createWorktreeOn, { name: 'w', branchName: 'w', host: LOCAL })
  commit(path, { 'b.txt': 'TWO\n' })
  await perform(swarm.core, requestIntegration, { worktreeName: 'w' }, person)
  const held = async () => (await swarm.worktree('w')).integration!.problem
  capitals(root)
  expect([await checkGuard(world), await held()]).toEqual([false, null])
  capitals(swarm.root)
  expect([await checkGuard(swarm.world), await held()]).toEqual([false, CONFIGURATION_CHANGED])
})

it('the filters of a clone are used on its host if they were there before its first worker', async () => {
  const { build } = await withClone(capitals)
  expect(read((await build('w')).path, 'a.txt')).toBe('ONE\n')
})

import { existsSync, renameSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { removeWorktree } from '../../../src/effects/archive/remover.ts'
import { commitWork } from '../../../src/effects/runs/commits.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { runPath } from '../../../src/effects/files/paths.ts'
import { environmentAt } from '../../../src/effects/worktrees/ports.ts'
import { tearDown } from '../../../src/effects/worktrees/setup.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { refusal } from '../../support/core.ts'
import { openSwarm, read, sh, type Swarm, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/** Replacements that an agent may put in the place of its worktree. */
const tricks: readonly (readonly [string, (folder: string, swarm: Swarm) => void, RegExp])[] = [
  [
    'a link to the main checkout',
    (folder, { root }) => {
      renameSync(folder, `${folder}-aside`)
      symlinkSync(root, folder)
    },
    /it is a symbolic link/,
  ],
  [
    'a link to its own folder elsewhere',
    (folder) => {
      renameSync(folder, `${folder}-aside`)
      symlinkSync(`${folder}-aside`, folder)
    },
    /it is a symbolic link/,
  ],
  [
    'another folder with the same .git',
    (folder) => void sh(folder, 'cd ..; mv auth aside; mkdir auth; cp aside/.git auth/'),
    /another folder has replaced it/,
  ],
  [
    'a repository of its own',
    (folder) => void sh(folder, 'rm .git; git init --quiet .'),
    /no longer points where it did/,
  ],
  [
    'a .git that points at another worktree',
    (folder) => void sh(folder, 'cp ../other/.git .git'),
    /no longer points where it did/,
  ],
  ['a file', (folder) => void sh(`${folder}/..`, 'mv auth aside; echo x > auth'), /it is not a folder/],
]

describe.each(tricks)('if an agent replaces its worktree with %s', (_, trick, sentence) => {
  const tricked = async (config = '') => {
    const swarm = await openSwarm({ config })
    const folder = await swarm.build('auth')
    await swarm.build('other')
    await swarm.task({ command: 'touch started-here', targetWorktree: 'auth' })
    return { swarm, folder, trick: () => trick(folder, swarm) }
  }

  it('no agent is started, at any attempt', async () => {
    const { swarm, trick } = await tricked()
    const id = await swarm.dispatched()
    const run = await swarm.run(id)
    trick()
    for (let attempt = 0; attempt < 2; attempt++) await launch(swarm.world, run)
    expect(existsSync(runPath(swarm.root, id, run.run, 'pid'))).toBe(false)
    expect((await swarm.show(1)).errorMessage).toMatch(sentence)
    expect(existsSync(swarm.path('started-here'))).toBe(false)
  })

  it('nothing is committed, no teardown runs, no shell opens there, and the replacement is not removed', async () => {
    const { swarm, folder, trick } = await tricked('worktrees: {teardown: touch torn-down}\n')
    const run = await swarm.begin()
    await swarm.ended(run)
    trick()
    write(swarm.root, { 'mine.txt': 'not committed' })
    const before = sh(swarm.root, 'git status --porcelain; git rev-parse HEAD')
    const said = async (work: Promise<unknown>): Promise<string> => (await refusal(work)).message
    expect(await said(commitWork(swarm.world, run))).toMatch(sentence)
    expect(await said(environmentAt(swarm.world, folder))).toMatch(sentence)
    if (existsSync(`${folder}/.git`)) {
      await tearDown(swarm.world, { name: 'auth', path: folder })
      expect(swarm.warnings.at(-1)).toMatch(sentence)
    }
    connectionOf(swarm.core.store)
      .prepare(
        "UPDATE agents SET status = 'terminated', process = 'ended', ended_at = '2026-01-01T00:00:00.000Z' WHERE kind = 'command'",
      )
      .run()
    await perform(swarm.core, discardWorktree, { worktreeName: 'auth', reason: 'tricked' }, person)
    const wish = (await wishesOf(swarm.world)).worktrees.find(({ name }) => name === 'auth')!
    if (/link|not a folder/.test(sentence.source))
      expect(await said(removeWorktree(swarm.world, wish))).toMatch(/is now a symbolic link|is no longer a folder/)
    expect(sh(swarm.root, 'git status --porcelain; git rev-parse HEAD')).toBe(before)
    expect([read(swarm.root, 'mine.txt'), existsSync(swarm.path('torn-down'))]).toEqual(['not committed', false])
  })
})

import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { provenFolder } from '../../../src/effects/worktrees/folder.ts'
import { environmentAt } from '../../../src/effects/worktrees/ports.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { restoreWorktree } from '../../../src/operations/worktrees/restore.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, openSwarm, sh } from '../swarm.ts'

/** Replacements for `../wt/auth`, and how the refusal names each. */
const others: Readonly<Record<string, readonly [script: string, why: string]>> = {
  'a link to the main checkout': ['mv ../wt/auth ../kept; ln -s ../shop ../wt/auth', 'it is a symbolic link'],
  'a link to itself elsewhere': ['mv ../wt/auth ../kept; ln -s ../kept ../wt/auth', 'it is a symbolic link'],
  'a link on the way': [
    'mkdir ../other; mv ../wt ../away; ln -s other ../wt; mv ../shop/.git/worktrees ../w; git init -q ../other/auth; mv ../w ../shop/.git/worktrees',
    'is no longer the folder of worktree auth',
  ],
  'another repository': ['mv ../wt/auth ../kept; git init -q ../wt/auth', 'it is another repository'],
  'a copy of itself': [
    'cp -a ../wt/auth ../copy; mv ../wt/auth ../kept; mv ../copy ../wt/auth',
    'another folder has replaced it',
  ],
  'another worktree': [
    'git worktree add -q ../second; mv ../wt/auth ../kept; cp -a ../second ../wt/auth',
    'it names the git folder of another worktree',
  ],
  'a folder without .git': ['mv ../wt/auth ../kept; mkdir ../wt/auth', 'it has no .git'],
  nothing: ['mv ../wt/auth ../kept', 'it is gone'],
  'a file': ['mv ../wt/auth ../kept; touch ../wt/auth', 'it is not a folder'],
}

describe.each(Object.entries(others))('if %s is in the place of a worktree', (_, [script, why]) => {
  it('nothing is started, and the main checkout does not change', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {path: "../wt/{name}"}\n' })
    const path = await swarm.build('auth')
    expect(await provenFolder(swarm.world, 'auth')).toBe(path)
    sh(swarm.root, script)
    const said = await refusal(provenFolder(swarm.world, 'auth'))
    expect([said.code, said.message]).toEqual([
      'git_misled',
      expect.stringMatching(new RegExp(`${why}|no longer points where it did`)) as string,
    ])
    await refusal(environmentAt(swarm.world, path))
    await swarm.task({ title: 'write', targetWorktree: 'auth', command: 'touch written' })
    const run = await swarm.begin()
    expect([run?.process, existsSync(swarm.path('written'))]).not.toContain(true)
    expect(await swarm.show(1)).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(git(swarm.root, 'status', '--porcelain', '--', ':!.aiswarm')).toBe('')
  })
})

it('a restored worktree is known by its new folder', async () => {
  const swarm = await openSwarm()
  commit(await swarm.build('auth'), { a: 'x' })
  await act(swarm.connection, discardWorktree, { worktreeName: 'auth', reason: 'r' })
  await act(swarm.connection, restoreWorktree, { worktreeName: 'auth' })
  expect(await provenFolder(swarm.world, 'auth')).toBe(swarm.path('../auth').replace('shop/../', ''))
})

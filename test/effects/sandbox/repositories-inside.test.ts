import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { changedPaths } from '../../../src/effects/git/working-tree.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { git, openSwarm, sh } from '../swarm.ts'

// An agent writes whole repositories into its worktree, with settings that name programs. Inside they may run; the git
// of aiswarm and of the person outside must not run them.

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

/** Makes a submodule of which each setting that can name a program leaves a trace, and a file that git must filter. */
const trapped = (trace: string): string => `
git init --quiet -b main sub
cd sub
git config user.name a
git config user.email a@b
echo 1 > f
git add f
git commit --quiet -m Sub
trap="sh -c 'echo \\$0 >> ${trace}; cat'"
git config core.fsmonitor "echo fsmonitor >> ${trace}; false"
for key in filter.x.clean filter.x.smudge diff.x.textconv diff.x.command; do git config $key "$trap"; done
for hook in post-index-change pre-commit post-checkout; do
  mkdir -p .git/hooks
  printf '#!/bin/sh\\necho hook >> ${trace}\\n' > .git/hooks/$hook
  chmod +x .git/hooks/$hook
done
cd ..
printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = none\\n' > .gitmodules
git add .gitmodules sub 2> err
git commit --quiet -m 'Add sub'
echo '* filter=x diff=x' > sub/.gitattributes
echo 2 > sub/f
touch -d 2001-01-01 sub/f
echo left > left
exit 0`

describe('the programs of a submodule that an agent made', () => {
  it('run neither at the end of its task, nor for the review, the merge and what a discard would lose', async () => {
    const swarm = await openSwarm({ config: "integration: {verify: 'true'}" })
    const folder = await swarm.build('auth')
    const trace = join(temporaryFolder(), 'trace')
    const task = await swarm.carryOut(trapped(trace), { targetWorktree: 'auth' })
    expect(task).toMatchObject({ status: 'completed' })
    // A file that it left was committed for it, as without a submodule.
    expect(git(folder, 'show', '--format=', '--name-only', 'HEAD').split('\n')).toContain('left')
    expect(await changedPaths(folder)).toEqual([])
    const { outside } = swarm.connection
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    expect(integration).toMatchObject({ status: 'ready' })
    await outside.reviewWorktree('auth')
    await outside.presentWorktree('auth')
    await outside.observeWorktrees()
    await outside.radar({ everything: true })
    await outside.census('auth')
    expect(existsSync(trace) ? readFileSync(trace, 'utf8') : '').toBe('')
    // The trap is real: the status of a person goes into it.
    sh(folder, 'git status --short')
    expect(readFileSync(trace, 'utf8')).toContain('fsmonitor')
  })
})

describe('the settings of git for one worktree', () => {
  it('that its agent writes are its own, where the repository has such settings', async () => {
    const swarm = await openSwarm()
    git(swarm.root, 'config', 'extensions.worktreeConfig', 'true')
    const folder = await swarm.build('auth')
    const trace = join(temporaryFolder(), 'trace')
    const own = git(folder, 'rev-parse', '--absolute-git-dir')
    const tries = [
      `printf '[core]\\n\\tfsmonitor = "echo fsmonitor >> ${trace}; false"\\n' > ${own}/config.worktree`,
      `git config --worktree core.fsmonitor "echo fsmonitor >> ${trace}; false"`,
      `rm -f ${own}/config.worktree`,
      `mv ${own}/config.worktree ${own}/old`,
    ]
    await swarm.carryOut(`${tries.join('\n')}\ntrue`, { targetWorktree: 'auth' })
    expect(existsSync(join(own, 'config.worktree'))).toBe(false)
    sh(folder, 'git status --short')
    expect(existsSync(trace)).toBe(false)
  })
})

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { releaseGit } from '../../../src/effects/worktree-git/branch.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { git } from '../swarm.ts'
import { opened } from './inside.ts'
import { stateOf } from './state.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const G = '"$(git rev-parse --git-common-dir)"'
const W = '"$(git rev-parse --git-dir)"'

/** The steps of a program on its git, honest or not; N is a number of its own. */
const steps: readonly string[] = [
  'echo N > N; git add -A; git commit -qm N',
  'echo N >> README.md; git commit -qam N',
  'git commit -q --amend --allow-empty -m N',
  'git reset -q --hard HEAD~1',
  'git rebase -q main',
  'git merge -q main',
  'git branch N',
  'git tag -m N tag-N',
  'git checkout -q -b N',
  'git checkout -q feature/auth',
  'git checkout -q --detach',
  'git checkout -q -f main',
  'git branch -f main HEAD',
  'git symbolic-ref refs/heads/s-N refs/heads/main',
  'git symbolic-ref refs/heads/feature/auth refs/heads/main',
  'git symbolic-ref -d refs/heads/feature/auth',
  'git symbolic-ref HEAD refs/heads/main',
  'git symbolic-ref HEAD refs/heads/feature/auth',
  'git update-ref -d refs/heads/main',
  'git update-ref refs/heads/feature/auth main',
  'echo N >> README.md; git stash -q',
  'git stash pop -q',
  'git worktree add -q --detach /tmp/N',
  'git worktree prune',
  'git gc -q --prune=now',
  'git repack -adq',
  'git prune',
  'git reflog expire --expire=now --all',
  'git pack-refs --all',
  'git config core.fsmonitor "touch HOME/trace"',
  'git config core.hooksPath "$PWD/hooks"; mkdir -p hooks; printf "#!/bin/sh\\ntouch HOME/trace\\n" > hooks/post-commit; chmod +x hooks/*',
  'git init -q sub; cd sub && git commit -q --allow-empty -m N; cd ..; git add sub; git commit -qm sub',
  `echo N > ${G}/HEAD`,
  `echo N > ${G}/packed-refs`,
  `echo N > ${W}/index`,
  `echo N > ${W}/HEAD`,
  `echo HOME > ${G}/objects/info/alternates`,
  `mkdir -p ${G}/refs/heads/feature; echo 1111111111111111111111111111111111111111 > ${G}/refs/heads/feature/auth`,
  `for o in ${G}/objects/??/*; do chmod u+w $o; head -c 5 $o > $o; break; done`,
  `rm -rf ${G}/objects/??`,
  `rm -rf ${G}/logs; ln -s HOME ${G}/logs`,
  `rm -f ${W}/COMMIT_EDITMSG; ln -s HOME/note ${W}/COMMIT_EDITMSG`,
  `rm -rf ${W}`,
  `git rev-parse HEAD > ${G}/shallow`,
]

const RUNS = Number(process.env['GIT_INSIDE_RUNS'] ?? 2)
const STEPS = Number(process.env['GIT_INSIDE_STEPS'] ?? 8)

it(
  'whatever a program does to its git, outside only its branch moves, by commits that are whole',
  { timeout: 60_000 * RUNS * STEPS },
  async () => {
    const sequence = fc.array(fc.nat(steps.length - 1), { minLength: STEPS, maxLength: STEPS })
    await fc.assert(
      fc.asyncProperty(sequence, async (numbers) => {
        const { root, own, inside, imported } = await opened()
        const home = temporaryFolder()
        writeFileSync(join(home, 'note'), 'person')
        const before = stateOf(root)
        for (const [at, number] of numbers.entries()) {
          inside(steps[number]!.replaceAll('N', `n${at}`).replaceAll('HOME', home))
          await imported()
          expect(stateOf(root)).toEqual(before)
        }
        await releaseGit(own)
        expect(stateOf(root)).toEqual(before)
        expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
        expect(git(root, 'log', '--format=%H', '--all').length).toBeGreaterThan(0)
        expect([readdirSync(home), readFileSync(join(home, 'note'), 'utf8')]).toEqual([['note'], 'person'])
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  },
)

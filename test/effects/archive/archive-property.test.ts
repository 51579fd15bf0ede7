import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { discard, forgetUnreferenced, restore, snapshot, standing, trash } from '../archived.ts'
import { git, openSwarm, sh } from '../swarm.ts'

// Everything that an agent leaves is reachable after the discard, and exists again after the restore.

type Step =
  | { readonly kind: 'write'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'link'; readonly name: string; readonly target: string }
  | { readonly kind: 'chmod'; readonly name: string; readonly mode: number }
  | { readonly kind: 'folder' | 'remove' | 'rename' | 'nested'; readonly name: string }
  | { readonly kind: 'git'; readonly script: string }

const names = [
  'a',
  'b',
  'README.md',
  'src/x',
  'src/y',
  'deep/er/est',
  'secret.env',
  'notes/n',
  'run.log',
  'ä ö',
  'new\nline',
  '"quoted"',
  '-dash',
  'build/out',
  'node_modules/m/i.js',
  ':colon',
]
const name = fc.constantFrom(...names)

/** Git commands of agents, each allowed to fail. */
const scripts = [
  'git add -A',
  'git add a src 2>/dev/null',
  'git commit -qm work',
  'git add -A; git commit -qm all',
  'git commit -q --allow-empty -m empty',
  'git commit -q --amend --no-edit',
  'git reset -q --hard HEAD~1',
  'git reset -q --soft HEAD~1',
  'git checkout -q --detach',
  'git checkout -q feature/auth',
  'git checkout -q -B side',
  'git checkout -q --orphan alone-$$',
  'git stash -q',
  'git stash -q -u',
  'git stash pop -q',
  'git merge -q -m merged main',
  'git merge --abort',
  'git rebase -q main',
  'git cherry-pick main',
  'git revert --no-edit HEAD',
  'git mv a moved',
  'git rm -q --cached b',
  'git add -N src/y',
  'git update-index --chmod=+x a',
  'git update-index --skip-worktree README.md',
  'echo "* text=auto eol=crlf" > .gitattributes',
  'echo "*" > .gitignore',
  'printf "a\\r\\nb\\n" > crlf; git add crlf',
  'echo mine > a; git commit -qam mine; git merge -q main',
  'echo mine > a; git commit -qam mine; git rebase -q main',
  'echo mine > a; git commit -qam mine; git cherry-pick main; echo half > a; git add a',
  'echo one > one; git add one; git commit -qm one; git reset -q --hard HEAD~1',
  'git checkout -q --detach; echo two > two; git add two; git commit -qm two',
  'echo stashed >> README.md; git stash -q',
  'git worktree lock .',
  'rm -rf src',
] as const

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({ kind: fc.constant('write' as const), name, bytes: fc.uint8Array({ maxLength: 40 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      name,
      target: fc.constantFrom('a', '../outside', '/etc/passwd', 'nowhere/at all', 'src'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('chmod' as const),
      name,
      mode: fc.constantFrom(0o755, 0o600, 0o444, 0o777, 0o640),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constantFrom('folder' as const, 'remove' as const, 'rename' as const, 'nested' as const),
      name,
    }),
  },
  { weight: 100, arbitrary: fc.record({ kind: fc.constant('git' as const), script: fc.constantFrom(...scripts) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'git' as const, script: 'rm -rf .git' }) },
)

const carryOut = (folder: string, one: Step): void => {
  if (one.kind === 'git') return void attempt(() => sh(folder, `${one.script} || true`))
  const path = join(folder, one.name)
  attempt(() => {
    if (one.kind === 'remove') return rmSync(path, { recursive: true, force: true })
    if (one.kind === 'chmod') return lstatSync(path).isSymbolicLink() ? undefined : chmodSync(path, one.mode)
    mkdirSync(dirname(path), { recursive: true })
    if (one.kind === 'write') writeFileSync(path, one.bytes)
    if (one.kind === 'link') symlinkSync(one.target, path)
    if (one.kind === 'folder') mkdirSync(path)
    if (one.kind === 'rename') sh(folder, `mv -- '${one.name.replaceAll("'", "'\\''")}' renamed`)
    if (one.kind === 'nested') mkdirSync(path)
    if (one.kind === 'nested')
      sh(
        path,
        'git init -q; git config user.name N; git config user.email n@example.com; echo n > n; git add n; git commit -qm N; echo m > m',
      )
  })
}

/** An agent's step may be impossible; then nothing happens. */
const attempt = (work: () => void): void => {
  try {
    work()
  } catch {
    // Like a script without `set -e`.
  }
}

/** Every earlier position of HEAD, and every stash. */
const commits = (folder: string): readonly string[] => {
  const seen: string[] = []
  for (const command of [
    ['reflog', '--format=%H'],
    ['log', '-g', '--format=%H', 'refs/stash', '--'],
    ['rev-parse', 'HEAD'],
    ['rev-parse', '-q', '--verify', 'MERGE_HEAD'],
  ])
    attempt(() =>
      seen.push(
        ...git(folder, ...command)
          .split('\n')
          .filter((line) => /^[0-9a-f]{40}$/.test(line)),
      ),
    )
  return [...new Set(seen)]
}

/** Files that a build writes again are only in the trash. */
const regenerable = (path: string): boolean => /(^|\/)(node_modules|build)$/.test(path)

it(
  'a worktree with random changes of an agent stays reachable after a discard, and a restore brings all of it back',
  { timeout: 900_000 },
  async () => {
    const tally = { links: 0, conflicts: 0, detached: 0, nested: 0, stashes: 0, commits: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const swarm = await openSwarm({
          files: {
            '.gitignore': '*.env\nnotes/\n*.log\nbuild/\nnode_modules/\n',
            a: 'a\n',
            b: 'b\n',
            'README.md': 'r\n',
          },
        })
        const folder = await swarm.build('auth')
        sh(swarm.root, 'echo changed > a; git add a; git commit -qm "On main"')
        for (const one of steps) carryOut(folder, one)
        const had = existsSync(join(folder, '.git'))
        const made = had ? commits(folder) : []
        const before = { files: snapshot(folder, regenerable), git: had ? standing(folder) : '' }
        tally.links += [...before.files.values()].some((value) => value.startsWith('→')) ? 1 : 0
        tally.conflicts += /^u /m.test(before.git) ? 1 : 0
        tally.detached += before.git.startsWith('HEAD\n') ? 1 : 0
        tally.nested += [...before.files.keys()].some((path) =>
          existsSync(join(folder, Buffer.from(path, 'latin1').toString(), '.git')),
        )
          ? 1
          : 0
        tally.stashes += /^stash|WIP/m.test(git(swarm.root, 'stash', 'list')) ? 1 : 0

        const { archiveRef } = await discard(swarm)

        const lost = made.filter((oid) => !isReachable(swarm.root, oid, `${archiveRef}`))
        tally.commits += made.length
        expect(lost).toEqual([])
        trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
        git(swarm.root, 'update-ref', '-d', 'refs/heads/feature/auth')
        attempt(() => git(swarm.root, 'update-ref', '-d', 'refs/stash'))
        forgetUnreferenced(swarm.root)
        await restore(swarm)
        expect(snapshot(folder, regenerable)).toEqual(before.files)
        if (had) expect(standing(folder)).toBe(before.git)
        for (const oid of made) git(swarm.root, 'cat-file', '-e', `${oid}^{tree}`)
      }),
      {
        numRuns: Number(process.env['RUNS'] ?? 6),
        ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }),
      },
    )
    // Otherwise the scripts would have left nothing to test.
    expect(tally.commits).toBeGreaterThan(0)
    if (process.env['RUNS'] !== undefined) console.log(tally)
  },
)

/** From the archive or from the target, which stays. */
const isReachable = (root: string, oid: string, archive: string): boolean =>
  git(root, 'rev-list', '--no-walk', oid, '--not', archive, 'main') === '' ||
  git(root, 'rev-list', '-1', oid, '--not', archive, 'main') === ''

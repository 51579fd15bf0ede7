import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Review } from '../../../src/contracts/review.ts'
import { passingWords } from '../../../src/domain/integration/branch-history.ts'
import { historyOf } from '../../../src/effects/integration/history.ts'
import { git, openSwarm, sh } from '../swarm.ts'

/** The review of a worktree in which a script has made commits. */
const after = async (script: string, files: Record<string, string> = { 'a.txt': 'a\n' }): Promise<Review> => {
  const swarm = await openSwarm({ files })
  const folder = await swarm.build('auth')
  sh(folder, `set -e\ncommit() { git add -A; git commit -qm "$1"; }\n${script}`)
  return swarm.connection.outside.reviewWorktree('auth')
}

const passing = ({ history }: Review) => history.files.map(({ path, risks }) => [path, risks.map(({ kind }) => kind)])
const risksIn = ({ files }: Review, path: string) =>
  files.find((file) => file.path === path)?.risks.map(({ kind, reason }) => `${kind}: ${reason}`)

const KEY = `sk-${'a1b2'.repeat(6)}`

describe('a commit in between', () => {
  it('is read: a workflow, a hook and a link that the diff does not show are listed with their commits', async () => {
    const read = await after(`
      mkdir -p .github/workflows; echo 'on: push' > .github/workflows/x.yml; commit one
      ln -s /etc/passwd link; commit two
      rm -r .github link; echo b > a.txt; commit three`)
    expect(read.files.map(({ path }) => path)).toEqual(['a.txt'])
    expect(passing(read)).toEqual([
      ['.github/workflows/x.yml', ['ci']],
      ['link', ['symlink']],
    ])
    expect(passingWords(read.history.files[0]!)).toBe(
      `only in commit ${read.commits[2]!.oid.slice(0, 8)}, not in the diff`,
    )
    expect(read.history.unread).toEqual([])
  })

  it('is searched for secrets, of which those that the branch began with are none', async () => {
    const read = await after(
      `echo x >> old.txt; commit zero
      echo 'key = "${KEY}"' > a.txt; commit one
      echo a > a.txt; echo y >> old.txt; commit two`,
      { 'a.txt': 'a\n', 'old.txt': `${KEY}\n` },
    )
    expect(passing(read)).toEqual([['a.txt', ['secret']]])
    expect(read.history.files[0]!.commits).toEqual([read.commits[1]!.oid])
    expect(read.history.files[0]!.risks[0]!.reason).toBe('line 1 looks like a key or a password')
  })

  it('that changed a file back is read where the diff has another content of it', async () => {
    const read = await after(`
      mkdir -p .github/workflows; echo evil > .github/workflows/x.yml; commit one
      echo good > .github/workflows/x.yml; commit two
      echo text > b.txt; commit three; echo other > b.txt; commit four`)
    expect(passing(read)).toEqual([['.github/workflows/x.yml', ['ci']]])
    expect(read.history.files[0]!.commits).toEqual([read.commits[3]!.oid])
  })

  it('that is a merge counts with what none of its parents has', async () => {
    const read = await after(`
      git checkout -qb side; echo s > side.txt; commit side; git checkout -q -
      echo m > main.txt; commit main
      git merge -q --no-commit --no-ff side; echo hidden > .lfsconfig; commit merge
      git rm -q .lfsconfig; git commit -qm clean`)
    expect(passing(read)).toEqual([['.lfsconfig', ['hook']]])
  })

  it('is not read beyond a limit, and the review says so', async () => {
    const swarm = await openSwarm({ files: { 'a.txt': 'a\n' } })
    const folder = await swarm.build('auth')
    sh(folder, 'for n in 1 2 3 4; do echo $n > .lfsconfig; git add -A; git commit -qm $n; done')
    const range = { base: git(swarm.root, 'rev-parse', 'main'), branch: git(folder, 'rev-parse', 'HEAD'), commits: 4 }
    const read = await historyOf({ root: swarm.root, borrowed: null }, range, [], 2)
    expect(read.files.map(({ path, commits }) => [path, commits.length])).toEqual([['.lfsconfig', 2]])
    expect(read.unread).toEqual([
      'only the newest 2 of 4 commits were read one by one: what only older ones have is not listed',
    ])
  })

  it('with a content that is too large is named as one that was not searched', async () => {
    const read = await after(`
      { head -c 1100000 /dev/zero | tr '\\0' x; echo; echo '${KEY}'; } > b.txt; commit one
      echo small > b.txt; commit two`)
    expect(read.history.files).toEqual([])
    expect(read.history.unread).toEqual([
      '1 content of commits in between was not searched for secrets: more than 1M each or 48M together',
    ])
  })
})

describe('a name, a link or a repository in the diff', () => {
  it('says that an identifier has letters of two scripts, and in which line', async () => {
    const read = await after(`printf 'ok\\nconst p\u0430ypal = 1\\n' > a.txt; echo x > sc\u043epe.ts; commit one`)
    expect(risksIn(read, 'a.txt')).toEqual(['mixed: "p\u0430ypal" in line 2 mixes Latin and Cyrillic letters'])
    expect(risksIn(read, 'sc\u043epe.ts')).toEqual(['mixed: "sc\u043epe" in its name mixes Latin and Cyrillic letters'])
  })

  it('says where a link points, and that it leads out', async () => {
    const swarm = await openSwarm({ files: { 'a.txt': 'a\n' } })
    const folder = await swarm.build('auth')
    mkdirSync(join(folder, 'b'))
    symlinkSync('../a.txt', join(folder, 'b/in'))
    symlinkSync('../../a.txt', join(folder, 'b/out'))
    symlinkSync('/etc/passwd', join(folder, 'root'))
    symlinkSync('../.git/config', join(folder, 'b/git'))
    sh(folder, 'rm a.txt; ln -s b/in a.txt; git add -A; git commit -qm links')
    const read = await swarm.connection.outside.reviewWorktree('auth')
    expect(risksIn(read, 'b/in')).toEqual(['symlink: a new symbolic link, to ../a.txt'])
    expect(risksIn(read, 'b/out')).toEqual(['symlink: a new symbolic link, to ../../a.txt, outside of the repository'])
    expect(risksIn(read, 'root')).toEqual(['symlink: a new symbolic link, to /etc/passwd, outside of the repository'])
    expect(risksIn(read, 'b/git')).toEqual(['symlink: a new symbolic link, to ../.git/config, in the folder of git'])
    expect(risksIn(read, 'a.txt')).toEqual(['symlink: it is now a symbolic link, to b/in'])
  })

  it('says that a folder is a repository, in any form of its name', async () => {
    const read = await after(`
      mkdir -p bare/refs x; git init -q --bare bare; touch bare/refs/heads/.keep bare/objects/.keep
      mkdir '.gıt'; echo x > '.gıt/config'; commit one
      blob=$(git hash-object -w a.txt)
      tree=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
      { git ls-tree HEAD; printf '040000 tree %s\\t.GIT\\n040000 tree %s\\t.g\u200cit\\n' $tree $tree; } > x/list
      git update-ref HEAD $(git commit-tree -m two -p HEAD $(git mktree < x/list))`)
    for (const path of ['.gıt/config', '.GIT/config', '.g\u200cit/config'])
      expect([path, risksIn(read, path)]).toEqual([
        path,
        expect.arrayContaining(['repository: git would take its folder for a repository, and obey what is in it']),
      ])
    expect(risksIn(read, 'bare/HEAD')).toEqual([
      'repository: its folder is a bare repository, whose configuration git obeys inside',
    ])
  })

  it('says of a binary file that it cannot be read here', async () => {
    const read = await after(`head -c 3000 /dev/urandom > blob.bin; printf '\\0\\0' >> blob.bin; commit one`)
    expect(risksIn(read, 'blob.bin')).toEqual(['binary: it is binary; its content cannot be shown'])
  })
})

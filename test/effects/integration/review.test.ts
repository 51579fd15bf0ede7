import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contentOf, kindOf } from '../../../src/domain/words/unified-diff.ts'
import { unquoted } from '../../../src/effects/git/quoted-names.ts'
import type { Review, ReviewFile } from '../../../src/contracts/review.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { enrolRepository } from '../../../src/effects/files/git-dir.ts'
import { reviewOf } from '../../../src/effects/integration/review.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, gitEnvironment, openSwarm, repository, sh, type Swarm, write } from '../swarm.ts'

const review = (swarm: Swarm): Promise<Review> => swarm.connection.outside.reviewWorktree('auth')

/** A worktree `auth` in which a script has run and every change is committed. */
const afterScript = async (
  files: Record<string, string>,
  script: string,
): Promise<{ swarm: Swarm; folder: string; read: Review }> => {
  const swarm = await openSwarm({ files })
  const folder = await swarm.build('auth')
  sh(folder, `${script}\ngit add -A; git commit -qm 'A change'`)
  return { swarm, folder, read: await review(swarm) }
}

const fileIn = ({ files }: Review, path: string): ReviewFile => files.find((file) => file.path === path)!

const linesOf = ({ diff }: ReviewFile): string[] =>
  Array.from(
    { length: diff!.count },
    (_, line) =>
      ({ hunk: '@', context: ' ', added: '+', removed: '-', note: '\\' })[kindOf(diff!, line)] + contentOf(diff!, line),
  ).filter((line) => !line.startsWith('@'))

const kinds = (file: ReviewFile): string[] => file.risks.map(({ kind }) => kind)

describe('the review of a worktree', () => {
  it('shows its commits, files and lines, and what it omits', async () => {
    const swarm = await openSwarm({ files: { 'old.txt': '1\n', 'a.txt': 'x\ny\n' } })
    const folder = await swarm.build('auth')
    sh(folder, "git rm -q old.txt; printf 'x\\nz\\n' > a.txt; git add -A; git commit -qm 'Add\tone'; echo x > later")
    const read = await review(swarm)
    expect(read.commits.map(({ subject, author }) => [author, subject])).toEqual([['Ada', 'Add\tone']])
    expect(read.files.map(({ path, added, removed, change }) => [path, added, removed, change])).toEqual([
      ['old.txt', 0, 1, 'deleted'],
      ['a.txt', 1, 1, 'modified'],
    ])
    expect(linesOf(fileIn(read, 'a.txt'))).toEqual([' x', '-y', '+z'])
    expect(read).toMatchObject({
      worktree: 'auth',
      target: 'main',
      candidate: null,
      uncommitted: ['later'],
      from: git(swarm.root, 'rev-parse', 'main'),
      to: git(folder, 'rev-parse', 'HEAD'),
    })
  })

  it('says on another host that the branch is not pushed yet', async () => {
    const { core, world, build } = await openSwarm()
    await build('auth')
    const clone = repository()
    enrolRepository(clone)
    const { secret } = await perform(core, makeJoinCode, {}, person)
    await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: clone }, person)
    const [first] = await perform(core, listHosts, {}, person)
    const there = { ...world, core: { ...core, host: 'bbbbbbbb', root: clone } }
    expect((await refusal(reviewOf(there, 'auth'))).message).toBe(
      `The branch of auth is on host ${first!.name}, which has not pushed it yet. Try again in a minute.`,
    )
  })

  it('shows the recorded merge, whatever the branch did since then', async () => {
    const swarm = await openSwarm({ files: { 'a.txt': '1\n' } })
    const folder = await swarm.build('auth')
    const branchOid = commit(folder, { 'a.txt': '2\n' })
    const targetOid = commit(swarm.root, { 'other.txt': 'x\n' })
    const tree = git(swarm.root, 'merge-tree', '--write-tree', targetOid, branchOid)
    const mergeOid = git(swarm.root, 'commit-tree', tree, '-p', targetOid, '-p', branchOid, '-m', 'Merge')
    await swarm.candidate('auth', { targetOid, branchOid, mergeOid })
    commit(folder, { 'a.txt': '3\n', 'late.txt': 'x\n' })
    const read = await review(swarm)
    expect(read).toMatchObject({ candidate: { targetOid, branchOid, mergeOid }, from: targetOid, to: mergeOid })
    expect(read.files.map(({ path }) => path)).toEqual(['a.txt'])
    expect(linesOf(read.files[0]!)).toEqual(['-1', '+2'])
  })

  it('shows which worktrees change the same file, committed or not', async () => {
    const { swarm } = await afterScript({ 'a.txt': '1\n', 'b.txt': '1\n' }, 'echo 2 > a.txt; echo 2 > b.txt')
    commit(await swarm.build('cart'), { 'a.txt': '3\n' })
    write(await swarm.build('ship'), { 'a.txt': '4\n' })
    const read = await review(swarm)
    expect(read.files.map(({ path, risks }) => [path, risks.map(({ reason }) => reason)])).toEqual([
      ['a.txt', ['cart, ship change it too']],
      ['b.txt', []],
    ])
  })

  it('shows the results of its tasks', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await swarm.carryOut('echo x > made.txt', { targetWorktree: 'auth', acceptanceCriteria: ['made.txt is there'] })
    expect((await review(swarm)).tasks).toMatchObject([
      { id: 1, status: 'completed', criteria: [{ text: 'made.txt is there' }], lastExit: 0 },
    ])
  })
})

describe('file names in a review', () => {
  it('with line breaks, tabs, quotes and escape sequences stay distinct and keep their lines', async () => {
    const names = [
      'a\nb',
      'tab\there',
      'quo"te',
      "it's",
      'back\\slash',
      'esc\u001b[31mred',
      'bidi\u202eexe',
      '-rf',
      ':(exclude)x',
      'späce ☃',
      'diff --git a b',
    ]
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    for (const name of names) writeFileSync(join(folder, name), `in ${JSON.stringify(name)}\n`)
    sh(folder, 'git add -A; git commit -qm Names')
    const read = await review(swarm)
    expect(read.files.map(({ path }) => path).sort()).toEqual([...names].sort())
    for (const file of read.files) expect(linesOf(file)).toEqual([`+in ${JSON.stringify(file.path)}`])
  })

  it('that are not UTF-8 are spelled out byte by byte', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]), 'one\n')
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe8])]), 'two\n')
    sh(folder, 'git add -A; git commit -qm Names')
    const read = await review(swarm)
    expect(read.files.map((file) => [file.path, ...linesOf(file)])).toEqual([
      ['caf⟨E8⟩', '+two'],
      ['caf⟨E9⟩', '+one'],
    ])
    expect(
      linesOf({ ...read.files[0]!, diff: await swarm.connection.outside.readReviewFile(read, read.files[0]!) }),
    ).toEqual(['+two'])
  })

  it("are parsed from git's quoting", () => {
    expect(unquoted('plain')).toBe('plain')
    expect(unquoted('"a\\nb\\t\\"\\\\\\303\\251\\377"')).toBe('a\nb\t"\\é⟨FF⟩')
  })
})

describe('the review shows', () => {
  it('a rename as one file with its old name, and only its changed lines', async () => {
    const { read } = await afterScript(
      { 'old name.txt': '1\n2\n3\n4\n5\n6\n7\n8\n' },
      "git mv 'old name.txt' new.txt; echo 9 >> new.txt",
    )
    expect(read.files).toMatchObject([
      { path: 'new.txt', from: 'old name.txt', change: 'renamed', added: 1, removed: 0 },
    ])
  })

  it('binary content only as a note', async () => {
    const { read } = await afterScript(
      { 'a.bin': 'x' },
      'head -c 20000 /dev/urandom > a.bin; head -c 20000 /dev/urandom > b.bin',
    )
    expect(read.files.map((file) => [file.path, file.content, file.added, kinds(file)])).toEqual([
      ['a.bin', 'binary', null, ['binary']],
      ['b.bin', 'binary', null, ['binary']],
    ])
  })

  it("text that git's attributes hide", async () => {
    const { read } = await afterScript(
      { '.gitattributes': '*.js -diff\n*.lock binary\n', 'a.js': 'one\n' },
      "echo two > a.js; echo x > y.lock; printf 'let a = 1\\nlet b = 2 // \\000\\nlet c = 3\\n' > nul.ts; seq 200 >> nul.ts",
    )
    expect(fileIn(read, 'a.js')).toMatchObject({ content: 'text', added: 1, removed: 1 })
    expect(linesOf(fileIn(read, 'a.js'))).toEqual(['-one', '+two'])
    expect(kinds(fileIn(read, 'a.js'))).toEqual(['hidden'])
    expect(linesOf(fileIn(read, 'y.lock'))).toEqual(['+x'])
    expect(linesOf(fileIn(read, 'nul.ts'))[1]).toBe('+let b = 2 // \u0000')
  })

  it('a change of mode only, a symbolic link, and a change of type', async () => {
    const { read } = await afterScript(
      { 'run.sh': 'echo\n', 'link-to-be': 'text\n', plain: 'x\n' },
      'chmod +x run.sh; rm link-to-be; ln -s /etc/passwd link-to-be; ln -s plain new-link; echo y >> plain',
    )
    expect(read.files.map((file) => [file.path, file.change, kinds(file), linesOf(file)])).toEqual([
      ['link-to-be', 'retyped', ['symlink'], ['-text', '+/etc/passwd', '\\\\ No newline at end of file']],
      ['new-link', 'added', ['symlink'], ['+plain', '\\\\ No newline at end of file']],
      ['run.sh', 'modified', ['executable'], []],
      ['plain', 'modified', [], [' x', '+y']],
    ])
  })

  it('a submodule, whatever .gitmodules says about ignoring it', async () => {
    const { swarm, folder } = await afterScript({ a: '1\n' }, 'echo 2 > a')
    const head = git(swarm.root, 'rev-parse', 'HEAD')
    write(folder, { '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n\tignore = all\n' })
    sh(
      folder,
      `mkdir lib; git add .gitmodules; git update-index --add --cacheinfo 160000,${head},lib; git commit -qm Module`,
    )
    const read = await review(swarm)
    expect(read.files.map((file) => [file.path, kinds(file)])).toEqual([
      ['.gitmodules', ['hook']],
      ['lib', ['submodule']],
      ['a', []],
    ])
    expect(linesOf(fileIn(read, 'lib'))).toEqual([`+Subproject commit ${head}`])
  })

  it('line ends of both kinds, and a missing last one', async () => {
    const { read } = await afterScript(
      { 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'one\ntwo' },
      "printf 'one\\ntwo\\r\\n' > a.txt; printf 'one\\ntwo\\n' > b.txt",
    )
    expect(linesOf(fileIn(read, 'a.txt'))).toEqual(['-one\r', '+one', ' two\r'])
    expect(linesOf(fileIn(read, 'b.txt'))).toEqual([' one', '-two', '\\\\ No newline at end of file', '+two'])
  })

  it('the same lines whatever diff settings the person has', async () => {
    const { swarm, folder } = await afterScript({ 'a.txt': 'one\n\ntwo\n' }, 'echo three >> a.txt')
    for (const setting of [
      'diff.noprefix true',
      'diff.mnemonicPrefix true',
      'diff.suppressBlankEmpty true',
      'color.ui always',
      'diff.context 0',
      'diff.renames false',
      'diff.external false',
      'diff.relative true',
    ])
      git(folder, 'config', ...setting.split(' '))
    expect(linesOf(fileIn(await review(swarm), 'a.txt'))).toEqual([' one', ' ', ' two', '+three'])
  })
})

describe('the review reports as risks', () => {
  it('secrets among the added lines, and not among the old ones', async () => {
    const { read } = await afterScript(
      { 'a.ts': "const old = 'sk-aaaaaaaaaaaaaaaaaaaaaaaa'\nx\n" },
      "printf 'y\\nconst key = \"ghp_abcdefghijklmnopqrstuvwxyz0123\"\\n' >> a.ts; echo 'password = \"correct horse\"' > b.py; echo 'PASSWORD=$OTHER' > c.sh",
    )
    expect(fileIn(read, 'a.ts').risks).toMatchObject([
      { kind: 'secret', reason: 'line 4 looks like a key or a password' },
    ])
    expect(kinds(fileIn(read, 'b.py'))).toEqual([])
    expect(kinds(fileIn(read, 'c.sh'))).toEqual([])
  })

  it('changed scripts of a package.json', async () => {
    const before = JSON.stringify({ scripts: { test: 'vitest', old: 'x' } })
    const after = JSON.stringify({ scripts: { test: 'true', postinstall: 'node steal.js' } })
    const { read } = await afterScript(
      { 'package.json': before, 'web/package.json': before },
      `printf '%s' '${after}' > package.json; echo '{' > web/package.json`,
    )
    expect(fileIn(read, 'package.json').risks[0]).toEqual({
      kind: 'scripts',
      reason: 'scripts: test (changed), old (removed), postinstall (new); some run automatically on installation',
    })
    expect(fileIn(read, 'web/package.json').risks[0]).toMatchObject({ kind: 'scripts' })
  })

  it('hidden characters, and pointers of Git LFS', async () => {
    const { swarm, folder } = await afterScript({ a: 'x\n' }, 'echo y >> a')
    commit(folder, {
      'trojan.c': '/* \u202e } \u2066if (admin)\u2069 */\n',
      'big.psd': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`,
    })
    const read = await review(swarm)
    expect(fileIn(read, 'trojan.c').risks).toMatchObject([
      { kind: 'hidden', reason: expect.stringContaining('3 characters') as string },
    ])
    expect(kinds(fileIn(read, 'big.psd'))).toEqual(['binary'])
  })
})

describe('the review of a large diff', () => {
  it('with a hundred thousand lines, a line of 10 MB and many binaries takes the time of a few git commands', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    writeFileSync(
      join(folder, 'many.txt'),
      Array.from({ length: 100_000 }, (_, n) => `line ${n} with some words in it\n`).join(''),
    )
    writeFileSync(join(folder, 'long.js'), `${'x'.repeat(10 * 1024 * 1024)}\n`)
    mkdirSync(join(folder, 'images'))
    for (let n = 0; n < 30; n++) writeFileSync(join(folder, 'images', `${n}.png`), Buffer.alloc(50_000 + n))
    sh(folder, 'git add -A; git commit -qm Much')
    const read = await review(swarm)
    expect(fileIn(read, 'many.txt')).toMatchObject({ added: 100_000, content: 'text' })
    expect(fileIn(read, 'long.js').diff!.text.length).toBeGreaterThan(10 * 1024 * 1024)
    expect(read.files.filter(({ content }) => content === 'binary')).toHaveLength(30)
  })

  it('reads a file that is too large only on demand', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    writeFileSync(join(folder, 'huge.txt'), 'x'.repeat(99).concat('\n').repeat(200_000))
    writeFileSync(join(folder, 'small.txt'), 'x\n')
    sh(folder, 'git add -A; git commit -qm Much')
    const read = await review(swarm)
    expect(fileIn(read, 'small.txt')).toMatchObject({ added: 1, content: 'text' })
    const huge = fileIn(read, 'huge.txt')
    expect(huge).toMatchObject({ content: 'unread', diff: null, added: null, risks: [{ kind: 'large-file' }] })
    expect((await swarm.connection.outside.readReviewFile(read, huge)).added).toBe(200_000)
  })
})

it('the review shows a symbolic link and does not follow it', async () => {
  const swarm = await openSwarm()
  const folder = await swarm.build('auth')
  symlinkSync('/etc/hostname', join(folder, 'host'))
  sh(folder, 'git add -A; git commit -qm Link')
  expect(linesOf((await review(swarm)).files[0]!)[0]).toBe('+/etc/hostname')
  expect(execFileSync('git', ['-C', folder, 'status', '--porcelain'], { env: gitEnvironment, encoding: 'utf8' })).toBe(
    '',
  )
})

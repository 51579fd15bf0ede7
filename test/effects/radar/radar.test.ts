import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { conflictBetween } from '../../../src/domain/integration/radar.ts'
import { gitProcesses } from '../../../src/effects/git/command-log.ts'
import { placeHere } from '../../../src/effects/processes/identity.ts'
import { openRadar } from '../../../src/effects/radar/radar.ts'
import type { Radar } from '../../../src/contracts/observations.ts'
import type { RadarSubject } from '../../../src/operations/worktrees/radar-subjects.ts'
import { commit, git, gitEnvironment, repository, sh, write } from '../swarm.ts'

const lines = (changes: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, n) => `${changes[n] ?? `line ${n}`}\n`).join('')

/** A repository with worktrees next to it, and a radar that compares them. */
const openField = (
  files: Readonly<Record<string, string>> = { 'a.txt': lines(), 'b.txt': lines(), 'README.md': 'a shop\n' },
) => {
  const root = repository(files)
  const subjects: RadarSubject[] = []
  let now = 0
  const scanner = openRadar(root, 'main', () => now)
  onTestFinished(() => scanner.close())
  return {
    root,
    subjects,
    pass: (ms: number) => void (now += ms),
    add: (name: string, draft: Partial<RadarSubject> = {}): string => {
      const path = join(root, '..', name)
      git(root, 'worktree', 'add', '--quiet', '-b', `feature/${name}`, path)
      subjects.push({
        name,
        branch: `feature/${name}`,
        path,
        target: 'main',
        pushed: null,
        living: false,
        unfinished: 0,
        needs: [],
        ...draft,
      })
      return path
    },
    look: async (options?: { everything: boolean }): Promise<Radar> => (await scanner.scan(subjects, options)).radar,
    close: () => scanner.close(),
  }
}

/** The files in which two worktrees conflict, or undefined if they merge. */
const between = ({ pairs }: Radar, one: string, other: string): readonly string[] | undefined =>
  conflictBetween(pairs, one, other, false)?.files
const withMain = ({ pairs }: Radar, one: string): readonly string[] | undefined =>
  conflictBetween(pairs, one, 'main', true)?.files

/** Everything in a folder, byte for byte, with its times, .git and index included. */
const contentOf = (folder: string): string => {
  const hash = createHash('sha256')
  const walk = (path: string): void => {
    const stat = lstatSync(path)
    hash.update(`${path} ${stat.mode} ${stat.size} ${stat.isDirectory() ? '' : stat.mtimeMs} ${stat.ino}\n`)
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (stat.isFile()) hash.update(readFileSync(path))
    else if (stat.isDirectory())
      readdirSync(path)
        .sort()
        .forEach((name) => walk(join(path, name)))
  }
  walk(folder)
  return hash.digest('hex')
}

/** Starts this many git processes. */
const processesOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = gitProcesses()
  await work()
  return gitProcesses() - before
}

describe('committed work', () => {
  it('merges if other lines were changed, and conflicts if the same lines were changed', async () => {
    const field = openField()
    commit(field.add('auth'), { 'a.txt': lines({ 1: 'auth' }) })
    commit(field.add('pay'), { 'a.txt': lines({ 1: 'pay' }), 'b.txt': lines({ 1: 'pay' }) })
    commit(field.add('search'), { 'a.txt': lines({ 10: 'search' }) })
    const radar = await field.look()
    expect(radar.pairs).toEqual([
      { a: 'auth', b: 'pay', withTarget: false, files: ['a.txt'], includesUncommitted: false, problem: null },
    ])
    expect(radar.order).toEqual(['search', 'auth', 'pay'])
  })

  it('conflicts with the target once that has moved', async () => {
    const field = openField()
    commit(field.add('auth'), { 'a.txt': lines({ 1: 'auth' }), 'b.txt': lines({ 1: 'auth' }) })
    expect((await field.look()).pairs).toEqual([])
    commit(field.root, { 'a.txt': lines({ 1: 'main' }), 'b.txt': lines({ 1: 'main' }) })
    expect((await field.look()).pairs).toEqual([
      { a: 'auth', b: 'main', withTarget: true, files: ['a.txt', 'b.txt'], includesUncommitted: false, problem: null },
    ])
    git(join(field.root, '..', 'auth'), 'merge', '--quiet', '--strategy=ours', 'main')
    expect((await field.look()).pairs).toEqual([])
  })

  it('conflicts with no worktree if it adds nothing to the target', async () => {
    const field = openField()
    const pay = field.add('pay')
    commit(pay, { 'a.txt': lines({ 1: 'pay' }) })
    commit(field.root, { 'a.txt': lines({ 1: 'main' }) })
    field.add('fresh')
    const radar = await field.look()
    expect(radar.pairs.map(({ a, b }) => [a, b])).toEqual([['pay', 'main']])
    expect(radar.worktrees.map(({ name, brings }) => [name, brings])).toEqual([
      ['pay', true],
      ['fresh', false],
    ])
    expect(radar.order).toEqual(['pay'])
  })

  it('of another host conflicts as pushed, whatever folder has its path here, and is unknown until it is fetched', async () => {
    const field = openField()
    commit(field.add('auth'), { 'a.txt': lines({ 1: 'auth' }) })
    const same = field.add('same')
    commit(same, { 'b.txt': lines({ 1: 'same' }) })
    const tree = git(field.root, 'rev-parse', 'feature/auth^{tree}')
    const pushed = git(field.root, 'commit-tree', tree, '-p', 'main', '-m', 'Pushed').trim()
    const missing = pushed.replace(/./g, 'e')
    field.subjects.push(
      { ...field.subjects[1]!, name: 'away', pushed },
      { ...field.subjects[1]!, name: 'gone', pushed: missing },
    )
    commit(field.root, { 'a.txt': lines({ 1: 'main' }) })
    const radar = await field.look()
    expect(radar.pairs.map(({ a, b }) => [a, b])).toEqual([
      ['auth', 'main'],
      ['away', 'main'],
    ])
    expect(radar.worktrees.map(({ name, remark }) => [name, remark])).toEqual([
      ['auth', null],
      ['same', null],
      ['away', null],
      ['gone', expect.stringContaining('not here yet')],
    ])
  })

  it('conflicts by a rename and a deletion, by binary content, by mode and by file type', async () => {
    const field = openField({ 'old.txt': lines(), 'bin.dat': 'a\0b', 'tool.sh': '#!/bin/sh\n', thing: 'x\n' })
    const [one, other] = [field.add('one'), field.add('two')]
    sh(
      one,
      'git mv old.txt new.txt; printf "a\\0c" > bin.dat; chmod +x tool.sh; echo "exit 1" >> tool.sh; rm thing; mkdir thing; echo y > thing/inner',
    )
    sh(other, 'git rm -q old.txt; printf "a\\0d" > bin.dat; git rm -q tool.sh; echo z > thing')
    for (const path of [one, other]) sh(path, 'git add --all; git commit -qm change')
    const files = between(await field.look(), 'one', 'two')!
    expect(files).toEqual(expect.arrayContaining(['bin.dat', 'new.txt', 'tool.sh']))
    expect(files.some((name) => name.startsWith('thing'))).toBe(true)
  })

  it('conflicts if both moved a submodule to other commits', async () => {
    const field = openField()
    const inner = repository({ f: '1' })
    const [base, left, right] = [
      git(inner, 'rev-parse', 'HEAD'),
      commit(inner, { f: '2' }),
      (git(inner, 'reset', '-q', '--hard', 'HEAD~1'), commit(inner, { f: '3' })),
    ]
    const set = (path: string, oid: string): void =>
      void sh(path, `git update-index --add --cacheinfo 160000,${oid},sub; git commit -qm sub`)
    set(field.root, base)
    set(field.add('one'), left)
    set(field.add('two'), right)
    const radar = await field.look()
    expect(between(radar, 'one', 'two')).toEqual(['sub'])
    expect(withMain(radar, 'one')).toBeUndefined()
  })

  it('cannot be merged without a commit in common, and the others are compared anyway', async () => {
    const field = openField()
    commit(field.add('one'), { 'a.txt': lines({ 1: 'one' }) })
    const orphan = field.add('orphan')
    sh(
      orphan,
      'git checkout -q --orphan lonely; git commit -qm "Begin anew"; git branch -f feature/orphan; git checkout -q feature/orphan',
    )
    commit(field.add('two'), { 'a.txt': lines({ 1: 'two' }) })
    const radar = await field.look()
    expect(conflictBetween(radar.pairs, 'orphan', 'main', true)?.problem).toBe('they have no commit in common')
    expect(conflictBetween(radar.pairs, 'one', 'orphan', false)).toMatchObject({
      files: [],
      problem: 'they have no commit in common',
    })
    expect(between(radar, 'one', 'two')).toEqual(['a.txt'])
  })

  it('is reported with unchanged file names', async () => {
    const field = openField()
    const name = 'sp ace\ttab "quote" naïve \u202e.txt'
    commit(field.add('one'), { [name]: '1\n' })
    commit(field.add('two'), { [name]: '2\n' })
    expect(between(await field.look(), 'one', 'two')).toEqual([name])
  })

  it('is reported with the bytes of a name that is not text', async () => {
    const field = openField()
    for (const name of ['one', 'two'])
      sh(field.add(name), `printf '${name}\\n' > "$(printf 'x\\377y')"; git add --all; git commit -qm odd`)
    expect(between(await field.look(), 'one', 'two')).toEqual(['x⟨FF⟩y'])
  })
})

describe('uncommitted work', () => {
  it('counts as well: edited, staged, untracked, deleted, made a link', async () => {
    const field = openField({ 'a.txt': lines(), 'b.txt': lines(), 'c.txt': lines(), 'd.txt': lines() })
    const [one, two] = [field.add('one'), field.add('two')]
    commit(two, {
      'a.txt': lines({ 1: 'two' }),
      'b.txt': lines({ 1: 'two' }),
      'c.txt': lines({ 1: 'two' }),
      'd.txt': lines({ 1: 'two' }),
      'new.txt': 'two\n',
    })
    write(one, { 'a.txt': lines({ 1: 'one' }), 'b.txt': lines({ 1: 'one' }), 'new.txt': 'one\n' })
    sh(one, 'git add b.txt; rm c.txt; rm d.txt; ln -s a.txt d.txt')
    const radar = await field.look()
    const found = conflictBetween(radar.pairs, 'one', 'two', false)!
    expect(found.files).toEqual(expect.arrayContaining(['a.txt', 'b.txt', 'c.txt', 'new.txt']))
    expect(found.files.some((name) => name.startsWith('d.txt'))).toBe(true)
    expect(found.includesUncommitted).toBe(true)
    expect(radar.worktrees.map(({ name, uncommitted }) => [name, uncommitted])).toEqual([
      ['one', 5],
      ['two', 0],
    ])
  })

  it('is distinguished from committed work, file by file', async () => {
    const field = openField()
    const [one, two] = [field.add('one'), field.add('two')]
    commit(one, { 'a.txt': lines({ 1: 'one' }) })
    commit(two, { 'a.txt': lines({ 1: 'two' }) })
    write(one, { 'elsewhere.txt': 'x' })
    expect(conflictBetween((await field.look()).pairs, 'one', 'two', false)).toMatchObject({
      files: ['a.txt'],
      includesUncommitted: false,
    })
  })

  it('is compared with the target and with uncommitted work elsewhere', async () => {
    const field = openField()
    write(field.add('one'), { 'a.txt': lines({ 1: 'one' }) })
    write(field.add('two'), { 'a.txt': lines({ 1: 'two' }) })
    commit(field.root, { 'a.txt': lines({ 1: 'main' }) })
    const radar = await field.look()
    expect(radar.pairs.map(({ a, b, includesUncommitted }) => [a, b, includesUncommitted])).toEqual([
      ['one', 'main', true],
      ['two', 'main', true],
      ['one', 'two', true],
    ])
  })

  it('omits ignored files and a file that is too long, and says so', async () => {
    const field = openField({ '.gitignore': 'ignored\n', 'a.txt': lines() })
    writeFileSync(join(field.root, '.git', 'info', 'exclude'), 'excluded\n')
    for (const name of ['one', 'two']) {
      const path = field.add(name)
      write(path, { ignored: name, excluded: name, 'sub/.gitignore': 'too\n', 'sub/too': name })
      writeFileSync(join(path, 'long'), Buffer.alloc(8 * 1024 * 1024 + 1, name))
    }
    const radar = await field.look()
    expect(radar.pairs).toEqual([])
    expect(radar.worktrees.map(({ remark }) => remark)).toEqual(Array(2).fill('files not compared: 1 larger than 8 MB'))
  })

  it('is read during a merge, with an unreadable file, with a link in place of a folder, and with a repository inside', async () => {
    const field = openField({ 'a.txt': lines(), 'secret.txt': lines(), 'dir/f': lines() })
    const [one, two] = [field.add('one'), field.add('two')]
    commit(two, { 'a.txt': lines({ 1: 'two' }), 'dir/f': lines({ 1: 'two' }) })
    commit(one, { 'a.txt': lines({ 1: 'one' }) })
    sh(
      one,
      'git merge feature/two >/dev/null || true; rm -rf dir; mkdir elsewhere; cp a.txt elsewhere/f; ln -s elsewhere dir; git init -q inner; echo x > inner/x; mkfifo pipe',
    )
    write(one, { 'secret.txt': lines({ 1: 'mine' }) })
    chmodSync(join(one, 'secret.txt'), 0o000)
    const radar = await field.look()
    chmodSync(join(one, 'secret.txt'), 0o644)
    expect(between(radar, 'one', 'two')).toContain('a.txt')
    expect(radar.worktrees[0]!.remark ?? '').not.toContain('could not be read')
  })

  it('is read in the other worktrees if one has a pipe in place of a git file, and the pipe is named', async () => {
    const field = openField()
    for (const name of ['one', 'two', 'three']) write(field.add(name), { 'a.txt': lines({ 1: name }) })
    sh(field.subjects[0]!.path, 'mkfifo .gitignore')
    const radar = await field.look()
    expect(between(radar, 'three', 'two')).toEqual(['a.txt'])
    const why = `${field.subjects[0]!.path}/.gitignore is a pipe, a socket or a device, for which git would wait forever; remove it.`
    expect(radar.worktrees[0]!.remark).toBe(`its uncommitted files could not be read: ${why}`)
  })

  it('counts in a sparse checkout too, if a left-out file exists', async () => {
    const field = openField({ 'src/a': lines(), 'docs/b': lines() })
    const [one, two] = [field.add('one'), field.add('two')]
    sh(one, 'git sparse-checkout set src')
    commit(two, { 'docs/b': lines({ 1: 'two' }) })
    expect([(await field.look()).pairs, (await field.look()).worktrees[0]!.uncommitted]).toEqual([[], 0])
    write(one, { 'docs/b': lines({ 1: 'one' }) })
    expect(between(await field.look({ everything: true }), 'one', 'two')).toEqual(['docs/b'])
  })

  it('is converted as the repository says, so that other line ends do not conflict', async () => {
    const field = openField({ 'a.txt': lines(), '.gitattributes': '*.txt text\n' })
    const [one, two] = [field.add('one'), field.add('two')]
    write(one, { 'a.txt': lines({ 1: 'one' }).replaceAll('\n', '\r\n') })
    commit(two, { 'a.txt': lines({ 10: 'two' }) })
    expect((await field.look()).pairs).toEqual([])
    commit(two, { 'a.txt': lines({ 1: 'two' }) })
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt'])
  })
})

describe('the radar in an unusual worktree', () => {
  it('compares the rest if one is detached, on another branch, unborn, or without its folder or branch', async () => {
    const field = openField()
    const paths = Object.fromEntries(
      ['detached', 'elsewhere', 'unborn', 'folderless', 'whole'].map((name) => [name, field.add(name)]),
    )
    for (const path of Object.values(paths)) commit(path, { 'a.txt': lines({ 1: path }) })
    sh(paths['detached']!, 'git checkout -q --detach; echo more >> b.txt; git commit -qam more')
    sh(paths['elsewhere']!, 'git checkout -q -b other')
    sh(paths['unborn']!, 'git checkout -q --orphan nothing; git rm -rqf .')
    rmSync(paths['folderless']!, { recursive: true })
    field.subjects.push({
      ...field.subjects[0]!,
      name: 'never',
      branch: 'feature/never',
      path: join(field.root, '..', 'never'),
    })
    const radar = await field.look()
    for (const name of ['detached', 'elsewhere', 'folderless'])
      expect(between(radar, name, 'whole'), name).toEqual(['a.txt'])
    expect(radar.worktrees.map(({ name, remark }) => [name, remark])).toEqual([
      ['detached', null],
      ['elsewhere', null],
      ['unborn', null],
      ['folderless', 'its folder is gone'],
      ['whole', null],
      ['never', 'its folder and its branch are missing'],
    ])
  })

  it('shows the new place of a moved worktree, and reports a renamed folder as missing', async () => {
    const field = openField()
    for (const name of ['one', 'two']) commit(field.add(name), { 'a.txt': lines({ 1: name }) })
    const away = join(field.root, '..', 'away')
    sh(field.root, `git worktree move ../one ../away && mv ../two ../renamed`)
    const one = field.subjects[0]!.path
    const radar = await field.look()
    expect(radar.worktrees.map(({ remark }) => remark)).toEqual([
      `its folder was moved to ${away}; 'git worktree move -f -f ${away} ${one}' moves it back`,
      'its folder is gone',
    ])
    expect(between(radar, 'one', 'two')).toEqual(['a.txt'])
  })

  it('drops a branch that is deleted while the console is open', async () => {
    const field = openField()
    const [one, two] = [field.add('one'), field.add('two')]
    commit(one, { 'a.txt': lines({ 1: 'one' }) })
    commit(two, { 'a.txt': lines({ 1: 'two' }) })
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt'])
    sh(field.root, 'git worktree remove --force ../two; git branch -qD feature/two')
    const radar = await field.look()
    expect(radar.pairs).toEqual([])
    expect(radar.worktrees[1]).toMatchObject({
      name: 'two',
      brings: false,
      remark: 'its folder and its branch are missing',
    })
  })

  it('does not compare with a target that does not exist', async () => {
    const field = openField()
    for (const name of ['one', 'two']) commit(field.add(name, { target: 'nowhere' }), { 'a.txt': lines({ 1: name }) })
    expect((await field.look()).pairs).toMatchObject([{ a: 'one', b: 'two', withTarget: false }])
  })

  it('does not follow a .git that leads elsewhere', async () => {
    const field = openField()
    const one = field.add('one')
    const other = repository({ 'x.txt': 'x' })
    writeFileSync(join(one, '.git'), `gitdir: ${other}/.git\n`)
    write(one, { 'new.txt': 'x' })
    const radar = await field.look()
    expect(radar.worktrees[0]!.uncommitted).toBe(0)
    expect(radar.worktrees[0]!.remark).toBe('its folder is no longer a checkout of this repository')
  })
})

describe('the radar in a hostile repository', () => {
  it("runs no filter, merge driver, hook, monitor or attribute of an agent, and uses built-in drivers only by the target's attributes", async () => {
    const field = openField({ 'a.txt': lines(), 'log.md': 'begin\n', '.gitattributes': 'log.md merge=union\n' })
    const trace = join(field.root, '..', 'ran')
    const helper = join(field.root, '..', 'helper')
    writeFileSync(helper, `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`, { mode: 0o755 })
    const paths = ['one', 'two'].map((name) => field.add(name))
    for (const [key, value] of Object.entries({
      'filter.evil.clean': helper,
      'filter.evil.smudge': helper,
      'filter.evil.process': helper,
      'filter.evil.required': 'true',
      'merge.evil.driver': `${helper} %O %A %B`,
      'merge.default': 'evil',
      'diff.evil.textconv': helper,
      'core.fsmonitor': helper,
    }))
      git(field.root, 'config', key, value)
    writeFileSync(join(field.root, '.git', 'hooks', 'post-index-change'), readFileSync(helper), { mode: 0o755 })
    writeFileSync(join(field.root, '.git', 'info', 'attributes'), '* merge=evil filter=evil\n')
    for (const [n, path] of paths.entries()) {
      const name = `worktree ${n}`
      write(path, {
        'a.txt': lines({ 1: name }),
        'log.md': `begin\n${name}\n`,
        '.gitattributes': 'log.md merge=union\n*.txt merge=union filter=evil diff=evil\n* merge=evil\n',
      })
      // A nested repository has a configuration of its own, which a check for changes in a submodule would obey.
      sh(
        path,
        `git init -q sub; cd sub; git config user.name a; git config user.email a; git config core.fsmonitor '${helper}'; echo x > x; git -c core.fsmonitor= add x; git -c core.fsmonitor= commit -qm x`,
      )
      sh(
        path,
        `git -c core.fsmonitor= -c filter.evil.clean=cat -c filter.evil.process= -c core.hooksPath=/dev/null update-index --add --cacheinfo 160000,$(git -C sub -c core.fsmonitor= rev-parse HEAD),sub`,
      )
      sh(path, 'echo y >> sub/x')
    }
    write(field.root, { '.gitattributes': '* merge=evil\n' })
    rmSync(trace, { force: true })
    const radar = await field.look()
    expect(existsSync(trace) ? readFileSync(trace, 'utf8') : 'nothing ran').toBe('nothing ran')
    // The union of the target's attributes still applies to log.md; a.txt has none there.
    expect(between(radar, 'one', 'two')).toContain('a.txt')
    expect(between(radar, 'one', 'two')).not.toContain('log.md')
  })
})

describe('a look of the radar', () => {
  it('changes nothing in any worktree, index or repository, and leaves no file', async () => {
    const field = openField()
    for (const name of ['one', 'two', 'three']) {
      const path = field.add(name)
      commit(path, { 'a.txt': lines({ 1: name }) })
      write(path, { 'b.txt': lines({ 2: name }), untracked: name })
      sh(path, 'git add b.txt; echo more >> b.txt')
      // It is later than the index only by its time, as after a copy: git would refresh such an entry.
      utimesSync(join(path, 'README.md'), new Date(), new Date())
    }
    const parent = join(field.root, '..')
    const scratches = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('aiswarm-radar-'))
    const others = scratches()
    const before = contentOf(parent)
    await field.look()
    await field.look({ everything: true })
    expect((await field.look()).pairs.length).toBeGreaterThan(2)
    expect(contentOf(parent)).toBe(before)
    const own = scratches().filter((name) => !others.includes(name))
    await field.close()
    expect(own).not.toEqual([])
    expect(
      own.filter(
        (name) => existsSync(join(tmpdir(), name)) && readdirSync(join(tmpdir(), name)).includes('worktree-0'),
      ),
    ).toEqual([])
  })

  it('deletes the leftovers of a killed process, and only those', async () => {
    const gone = spawnSync('true').pid
    const here = placeHere()!.split('#').at(-1)!
    const [dead, living, elsewhere] = [`${gone}.${here}`, `${process.pid}.${here}`, `${gone}.1`].map((name) =>
      mkdtempSync(join(tmpdir(), `aiswarm-radar-${name}-`)),
    )
    const field = openField()
    field.add('one')
    await field.look()
    expect([dead, living, elsewhere].map((folder) => existsSync(folder!))).toEqual([false, true, true])
    for (const folder of [living, elsewhere]) rmSync(folder!, { recursive: true })
  })

  it('starts no process if nothing moved, and few if little did', async () => {
    const field = openField()
    for (let n = 0; n < 20; n++)
      commit(field.add(`w${n}`), { [`own/${n}.txt`]: 'x', ...(n % 3 === 0 ? { 'a.txt': lines({ 1: `${n}` }) } : {}) })
    write(field.subjects[4]!.path, { 'a.txt': lines({ 1: 'not committed' }) })
    const first = await field.look()
    expect(first.pairs).toHaveLength((8 * 7) / 2)
    expect(await processesOf(async () => expect(await field.look()).toBe(first))).toBe(0)
    field.pass(3_600_000)
    expect(await processesOf(() => field.look())).toBe(0)

    commit(field.subjects[1]!.path, { 'a.txt': lines({ 1: 'late' }) })
    expect(await processesOf(async () => expect((await field.look()).pairs).toHaveLength((9 * 8) / 2))).toBeLessThan(8)
    expect(await processesOf(() => field.look())).toBe(0)
  })

  it('sees at once a further edit of an uncommitted file, a new file next to it, `git add`, a moved target and packed refs', async () => {
    const field = openField()
    const [one, two] = [field.add('one'), field.add('two')]
    commit(two, { 'a.txt': lines({ 1: 'two' }), 'b.txt': lines({ 1: 'two' }), 'new.txt': 'two\n' })
    write(one, { 'a.txt': lines({ 10: 'one' }) })
    expect((await field.look()).pairs).toEqual([])
    write(one, { 'a.txt': lines({ 1: 'one' }) })
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt'])
    write(one, { 'new.txt': 'one\n' })
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt', 'new.txt'])
    write(one, { 'b.txt': lines({ 1: 'one' }) })
    git(one, 'add', 'b.txt')
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt', 'b.txt', 'new.txt'])
    commit(field.root, { 'a.txt': lines({ 1: 'main' }) })
    git(field.root, 'pack-refs', '--all', '--prune')
    const radar = await field.look()
    expect([withMain(radar, 'one'), withMain(radar, 'two')]).toEqual([['a.txt'], ['a.txt']])
    git(one, 'checkout', '--quiet', '--force', 'HEAD')
    rmSync(join(one, 'new.txt'))
    expect((await field.look()).pairs.map(({ a, b }) => [a, b])).toEqual([['two', 'main']])
  })

  it('sees an edit in place after a while if an agent works there, and otherwise in a full look', async () => {
    const field = openField()
    const [one, two] = [field.add('one', { living: true }), field.add('two')]
    commit(field.add('three'), { 'a.txt': lines({ 1: 'three' }) })
    await field.look()
    for (const path of [one, two]) writeFileSync(join(path, 'a.txt'), lines({ 1: 'edited' }))
    field.pass(9_999)
    expect(await processesOf(() => field.look())).toBe(0)
    field.pass(1)
    expect(between(await field.look(), 'one', 'three')).toEqual(['a.txt'])
    expect(between(await field.look(), 'two', 'three')).toBeUndefined()
    expect(between(await field.look({ everything: true }), 'two', 'three')).toEqual(['a.txt'])
  })

  it('sees an edit of the same length and time as the index entry if the index is not newer', async () => {
    const field = openField()
    git(field.root, 'config', 'core.trustctime', 'false')
    const [one, two] = [field.add('one'), field.add('two')]
    commit(two, { 'a.txt': lines({ 1: 'LINE 1' }) })
    const then = new Date('2026-01-30T14:22:33Z')
    const file = join(one, 'a.txt')
    utimesSync(file, then, then)
    git(one, 'update-index', '--refresh')
    utimesSync(join(git(one, 'rev-parse', '--absolute-git-dir'), 'index'), then, then)
    writeFileSync(file, lines({ 1: 'LINE I' }))
    utimesSync(file, then, then)
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt'])
  })

  it('gives the same result as git for each pair of 20 worktrees', async () => {
    const field = openField(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`d${n % 5}/f${n}.txt`, lines()])))
    for (let n = 0; n < 20; n++) {
      const path = field.add(`w${String(n).padStart(2, '0')}`)
      commit(path, {
        [`d${n % 5}/f${n % 5}.txt`]: lines({ [n % 4]: `w${n}` }),
        [`d${(n + 1) % 5}/f${(n % 7) + 5}.txt`]: lines({ 6: `w${n}` }),
      })
    }
    const radar = await field.look()
    let conflicts = 0
    for (const [at, one] of field.subjects.entries()) {
      for (const other of field.subjects.slice(at + 1)) {
        const files = merged(field.root, one.branch, other.branch)
        if (files.length > 0) conflicts++
        expect([...(between(radar, one.name, other.name) ?? [])].sort(), `${one.name} ${other.name}`).toEqual(files)
      }
    }
    expect(conflicts).toBeGreaterThan(10)
    expect(radar.pairs).toHaveLength(conflicts)
  }, 600_000)

  it('works in a shallow clone, with SHA-256, with a split index, and in a renamed repository', async () => {
    const field = openField()
    const one = field.add('one')
    commit(field.add('two'), { 'a.txt': lines({ 1: 'two' }) })
    git(one, 'update-index', '--split-index')
    write(one, { 'a.txt': lines({ 1: 'one' }) })
    git(one, 'add', 'a.txt')
    expect(between(await field.look(), 'one', 'two')).toEqual(['a.txt'])

    const parent = join(repository(), '..')
    sh(
      parent,
      'git init -q -b main --object-format=sha256 big; cd big; git config user.name a; git config user.email a; echo x > a; git add a; git commit -qm a',
    )
    sh(join(parent, 'big'), 'for n in one two; do git worktree add -q -b $n ../big-$n; echo $n > ../big-$n/a; done')
    sh(join(parent, 'shop'), 'echo more > b; git add b; git commit -qm b')
    sh(parent, `git clone -q --depth 1 "file://${parent}/shop" shallow`)
    sh(
      join(parent, 'shallow'),
      'for n in one two; do git worktree add -q -b $n ../shallow-$n; echo $n > ../shallow-$n/b; done',
    )
    renameSync(join(parent, 'shop'), join(parent, 'away'))
    for (const name of ['big', 'shallow']) {
      const scanner = openRadar(join(parent, name), 'main')
      onTestFinished(() => scanner.close())
      const subjects = ['one', 'two'].map((each) => ({
        name: each,
        branch: each,
        path: join(parent, `${name}-${each}`),
        target: 'main',
        pushed: null,
        living: false,
        unfinished: 0,
        needs: [],
      }))
      expect((await scanner.scan(subjects)).radar.pairs, name).toMatchObject([
        { a: 'one', b: 'two', files: [name === 'big' ? 'a' : 'b'] },
      ])
    }
  })
})

/** The answer of git itself, one process per pair. */
const merged = (root: string, one: string, other: string): readonly string[] => {
  try {
    execFileSync('git', ['merge-tree', '--write-tree', '--name-only', '--no-messages', one, other], {
      cwd: root,
      env: gitEnvironment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return []
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: Buffer }
    if (status !== 1) throw error
    return [...new Set(stdout.toString().trim().split('\n').slice(1))].sort()
  }
}

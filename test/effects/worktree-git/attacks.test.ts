import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { changedPaths } from '../../../src/effects/git/working-tree.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { limits } from '../../../src/effects/worktree-git/import.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { git } from '../swarm.ts'
import { opened } from './inside.ts'
import { stateOf } from './state.ts'

// A hostile program in a worktree works on the git that it finds there. Whatever it does, outside only the branch of the
// worktree may move, and only by commits that are whole.

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const before = { ...limits }
afterEach(() => void Object.assign(limits, before))

const G = '"$(git rev-parse --git-common-dir)"'
const W = '"$(git rev-parse --git-dir)"'

/** Runs an attack inside, imports, and says what came of it outside. */
const attacked = async (script: string, files?: Readonly<Record<string, string>>) => {
  const swarm = await opened(files)
  const { root, folder, inside, imported, tip } = swarm
  const home = temporaryFolder()
  writeFileSync(join(home, 'note'), 'person')
  const start = tip()
  const [state, main] = [stateOf(root), git(root, 'rev-parse', 'main^{tree}')]
  const ran = inside(script.replaceAll('HOME', home))
  const said = await imported()
  await changedPaths(folder).catch(() => [])
  expect(stateOf(root)).toEqual(state)
  expect(readFileSync(join(home, 'note'), 'utf8')).toBe('person')
  expect(readdirSync(home)).toEqual(['note'])
  expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  expect(git(root, 'rev-parse', 'main^{tree}')).toBe(main)
  expect(git(root, 'show', 'main:README.md')).toBe('a shop')
  return { ...swarm, ran, said, moved: tip() !== start }
}

/** A tree with entries of any name, and a commit of it on the branch. */
const committed = (entries: string): string =>
  `b=$(echo x | git hash-object -w --stdin)
t=$(printf '${entries}' | perl -pe 's/BLOB/'$b'/; s/([0-9a-f]{40})$/pack("H40",$1)/e; s/\\n$//' | git hash-object -w -t tree --stdin --literally)
c=$(printf 'tree %s\\nparent %s\\nauthor a <a> 1 +0000\\ncommitter a <a> 1 +0000\\n\\nx\\n' $t $(git rev-parse HEAD) | git hash-object -w -t commit --stdin --literally)
git update-ref refs/heads/feature/auth $c`

describe('a hostile program', () => {
  it.each([
    [
      'rewrites an object of the target',
      `o=$(git rev-parse main:README.md); f=/run/aiswarm/repository/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); chmod u+w $f; printf 'x' > $f; rm -f $f`,
    ],
    [
      'has an object of its own under the name of one of the target',
      `o=$(git rev-parse main:README.md); d=${G}/objects/$(echo $o | cut -c1-2); mkdir -p $d; printf 'evil' | git hash-object -w --stdin > /tmp/e; cp ${G}/objects/$(cut -c1-2 /tmp/e)/$(cut -c3- /tmp/e) $d/$(echo $o | cut -c3-); git commit -q --allow-empty -m x`,
    ],
    ['prunes and collects', 'git reflog expire --expire=now --all; git gc -q --prune=now; git prune'],
    [
      'makes its HEAD the target',
      'git symbolic-ref HEAD refs/heads/main; git commit -q --allow-empty -m x; git update-ref HEAD HEAD',
    ],
    [
      'makes its branch the target',
      'git symbolic-ref refs/heads/feature/auth refs/heads/main; git commit -q --allow-empty -m x',
    ],
    [
      'puts links into its git folder',
      `for f in index logs/HEAD COMMIT_EDITMSG ORIG_HEAD config.worktree; do rm -rf ${W}/$f; ln -s HOME/note ${W}/$f; done; git commit -q --allow-empty -m x; git reset -q`,
    ],
    [
      'puts links to folders there',
      `for f in refs logs objects/pack info hooks; do mv ${G}/$f ${G}/$f.old; ln -s HOME ${G}/$f; done; git branch x`,
    ],
    [
      'names another repository',
      `echo HOME > ${G}/objects/info/alternates; echo HOME > ${W}/commondir; echo HOME/note > ${W}/gitdir; git commit -q --allow-empty -m x`,
    ],
    [
      'names programs',
      `for k in core.fsmonitor core.pager core.editor filter.x.clean diff.x.textconv core.sshCommand core.alternateRefsCommand; do git config $k 'sh -c "touch HOME/trace"'; done; echo '* filter=x diff=x' > .gitattributes; git add .gitattributes; git commit -qm x`,
    ],
    [
      'moves, makes and deletes branches and tags',
      'git commit -q --allow-empty -m x; git branch -f main; git tag evil; git update-ref refs/aiswarm/archive/x HEAD; git update-ref -d refs/heads/main; git pack-refs --all',
    ],
    [
      'replaces and grafts',
      `git commit -q --allow-empty -m x; git replace HEAD HEAD~1; mkdir -p ${G}/info; git rev-parse HEAD > ${G}/info/grafts`,
    ],
    [
      'makes worktrees and submodules',
      'git worktree add -q /tmp/w -b w; git init -q sub; cd sub; git config core.fsmonitor "touch HOME/trace"; git commit -q --allow-empty -m x; cd ..; git add sub; git commit -qm sub',
    ],
  ])('%s', async (_what, script) => {
    await attacked(script)
  })

  it.each([
    [
      'a parent that is missing',
      `c=$(printf 'tree %s\\nparent 1111111111111111111111111111111111111111\\nauthor a <a> 1 +0000\\ncommitter a <a> 1 +0000\\n\\nx\\n' $(git rev-parse HEAD^{tree}) | git hash-object -w -t commit --stdin --literally); mkdir -p ${G}/refs/heads/feature; echo $c > ${G}/refs/heads/feature/auth`,
    ],
    [
      'a parent that only a file of shallow commits excuses',
      `c=$(printf 'tree %s\\nparent 1111111111111111111111111111111111111111\\nauthor a <a> 1 +0000\\ncommitter a <a> 1 +0000\\n\\nx\\n' $(git rev-parse HEAD^{tree}) | git hash-object -w -t commit --stdin --literally); echo $c > ${G}/shallow; mkdir -p ${G}/refs/heads/feature; echo $c > ${G}/refs/heads/feature/auth`,
    ],
    [
      'a tree that is missing',
      `c=$(printf 'tree 1111111111111111111111111111111111111111\\nauthor a <a> 1 +0000\\ncommitter a <a> 1 +0000\\n\\nx\\n' | git hash-object -w -t commit --stdin --literally); mkdir -p ${G}/refs/heads/feature; echo $c > ${G}/refs/heads/feature/auth`,
    ],
    ['a file .git', committed('100644 .git\\0BLOB\\n')],
    ['a file .GIT', committed('100644 .GIT\\0BLOB\\n')],
    ['a file git~1', committed('100644 git~1\\0BLOB\\n')],
    ['a file .git with an invisible letter', committed('100644 .gi\\342\\200\\214t\\0BLOB\\n')],
    ['a file ..', committed('100644 ..\\0BLOB\\n')],
    ['a file with a slash', committed('100644 a/b\\0BLOB\\n')],
  ])('commits %s, and its branch stays', async (_what, script) => {
    const { said, moved } = await attacked(script)
    expect(said).toContain("stay in the worktree's git")
    expect(moved).toBe(false)
  })

  it.each([
    [
      'an object that is too large',
      { object: 1000 },
      'head -c 2000 /dev/zero > a; git add a; git commit -qm x',
      'an object is larger',
    ],
    [
      'objects that are too large together',
      { unpacked: 3000 },
      'for n in 1 2 3 4; do yes $n | head -c 900 > $n; done; git add .; git commit -qm x',
      'when unpacked',
    ],
    [
      'too many objects',
      { objects: 3 },
      'for n in 1 2 3 4; do echo $n > $n; done; git add .; git commit -qm x',
      'more than 3 objects',
    ],
    [
      'a message that is too long',
      { message: 1000 },
      'git commit -q --allow-empty -m "$(head -c 2000 /dev/zero | tr "\\0" x)"',
      'a commit is larger',
    ],
    [
      'more than it may',
      { pack: 10_000 },
      'head -c 20000 /dev/urandom > a; git add a; git commit -qm x',
      'they are larger than',
    ],
  ])('commits %s, and says so', async (_what, lower, script, why) => {
    Object.assign(limits, lower)
    const { said, moved } = await attacked(script)
    expect(said).toContain(why)
    expect(moved).toBe(false)
  })

  it('commits a path of many folders, and says so', async () => {
    const lines = `perl -e 'print "commit refs/heads/feature/auth\\ncommitter a <a> 1 +0000\\ndata 1\\nx\\nfrom refs/heads/feature/auth^0\\nM 100644 inline ", "a/" x 2100, "a\\ndata 1\\nx\\n"' | git fast-import --quiet --force`
    const { said, moved } = await attacked(lines)
    expect(said).toContain('longer than 4096 bytes')
    expect(moved).toBe(false)
  })

  it('commits a few trees that hold a billion files, and says so', async () => {
    const { said, moved } = await attacked(
      `t=$(git rev-parse HEAD^{tree}); for l in 1 2 3 4 5 6 7 8 9; do t=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\t%s\\n' $t $n; done | git mktree); done; git update-ref refs/heads/feature/auth $(git commit-tree $t -p HEAD -m x)`,
    )
    expect(said).toContain('too many files')
    expect(moved).toBe(false)
  })

  it('commits a rewritten object of its own, and its branch stays', async () => {
    const { said, moved } = await attacked(
      `printf evil > a; git add a; git commit -qm x; o=$(git rev-parse HEAD:a); f=${G}/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); printf other | git hash-object -w --stdin > /tmp/e; rm -f $f; cp ${G}/objects/$(cut -c1-2 /tmp/e)/$(cut -c3- /tmp/e) $f`,
    )
    expect(said).toContain("stay in the worktree's git")
    expect(moved).toBe(false)
  })

  it('has its hooks run inside, and none of them outside', async () => {
    const trace = join(temporaryFolder(), 'trace')
    const { folder } = await attacked(
      `mkdir -p /tmp/h evil; printf '#!/bin/sh\\ntouch ${trace}\\n' > evil/post-commit; cp evil/post-commit evil/reference-transaction; cp evil/post-commit evil/post-index-change; chmod +x evil/*; git config core.hooksPath evil; git add .; git commit -qm x; git status`,
    )
    expect(readdirSync(folder)).toContain('evil')
    expect(existsSync(trace)).toBe(false)
  })
})

describe('a symbolic ref of the repository', () => {
  it('in the place of the branch is named, and not moved', async () => {
    const { root, inside, imported, tip } = await opened()
    git(root, 'branch', 'real')
    git(root, 'symbolic-ref', 'refs/heads/feature/auth', 'refs/heads/real')
    const real = tip('real')
    inside('git commit -q --allow-empty -m x')
    expect(await imported()).toContain('is a symbolic ref')
    expect(tip('real')).toBe(real)
  })
})

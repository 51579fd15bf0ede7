import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commit, git, sh, write } from './git-as-person.ts'
import { type Entry, growHistory, History } from './history.ts'
import { randomFrom } from './random.ts'

// Repositories like those of public projects, made by a generator: their history, layout, attributes, hooks, submodules
// and pointers to large files. All of it exists before aiswarm sees the repository.

export interface RealShape {
  readonly name: string
  /** True if it has hooks of the person, which write to `hookLog`. */
  readonly hooks: boolean
  /** Creates the main checkout `shop` below the folder, with `commits` commits and `files` files. */
  readonly make: (place: string, size: Size) => void
  /** The person's uncommitted changes in the main checkout. */
  readonly own: (root: string) => void
  /** The agent's commits in its worktree. */
  readonly work: (worktree: string) => void
  /** The target's commits meanwhile. */
  readonly meanwhile: (root: string) => void
  /** The uncommitted files in the worktree when it is discarded. */
  readonly unfinished: (worktree: string) => void
  /** Configuration that a clone needs to have the same files. */
  readonly cloneConfig: (place: string) => readonly string[]
}

export interface Size {
  readonly commits: number
  readonly files: number
}

/** 400 characters, in folders of forty. */
const longPath = (name: string): string => {
  const folders = Array.from({ length: 9 }, (_, at) => `${at}`.padEnd(40, 'deep-folder-'))
  return `${folders.join('/')}/${name.padStart(400 - 9 * 41, 'x')}`
}

const begin = (place: string, format: 'sha1' | 'sha256', write: (history: History) => void): string => {
  const root = join(place, 'shop')
  mkdirSync(root)
  git(root, 'init', '--quiet', '--initial-branch=main', `--object-format=${format}`)
  git(root, 'config', 'user.name', 'Ada')
  git(root, 'config', 'user.email', 'ada@example.com')
  const history = new History()
  write(history)
  history.writeTo(root)
  return root
}

const checkOut = (root: string): void => {
  git(root, 'reset', '--hard', '--quiet')
  git(root, 'pack-refs', '--all')
}

/** Each husky hook writes its name there; the hooks must not run for aiswarm's own git. */
export const hookLog = (root: string): string => join(root, '../hooks-ran')

const husky = (root: string): Record<string, Entry> =>
  Object.fromEntries(
    [
      'pre-commit',
      'commit-msg',
      'pre-merge-commit',
      'post-merge',
      'post-checkout',
      'post-commit',
      'pre-push',
      'reference-transaction',
    ].map((hook) => [`.husky/${hook}`, `echo ${hook} >> '${hookLog(root)}'\n`]),
  )

/** The files that `husky` itself creates when a person installs the packages: a folder that git ignores. */
const installHusky = (root: string): void => {
  write(root, {
    '.husky/_/.gitignore': '*\n',
    '.husky/_/h':
      '#!/usr/bin/env sh\nn=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\n',
  })
  for (const hook of Object.keys(husky(root)).map((path) => path.split('/')[1]!)) {
    write(root, { [`.husky/_/${hook}`]: '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n' })
    chmodSync(join(root, '.husky/_', hook), 0o755)
  }
  git(root, 'config', 'core.hooksPath', '.husky/_')
}

const monorepo = (format: 'sha1' | 'sha256'): RealShape => ({
  hooks: true,
  name: format === 'sha1' ? 'a monorepo with hooks' : 'a monorepo in SHA-256',
  make: (place, { commits, files }) => {
    const packages = Math.max(2, Math.round(files / 60))
    const paths = Array.from({ length: files }, (_, at) => {
      const folder = `packages/pkg-${at % packages}`
      const kinds = [
        `${folder}/src/feature-${at}/index.ts`,
        `${folder}/test/feature-${at}.test.ts`,
        `${folder}/src/ünïcode ${at}.ts`,
        `apps/web/routes/[id]/(group)/page-${at}.tsx`,
      ]
      return at % 97 === 5 ? longPath(`${at}.ts`) : kinds[at % 11 === 0 ? 2 : at % 13 === 0 ? 3 : at % 3 === 0 ? 1 : 0]!
    })
    const root = begin(place, format, (history) => {
      growHistory(history, { seed: 1, commits, files: paths, merged: 20 })
      history.commit({
        message: 'build: add the workspace\n',
        files: {
          'package.json': '{"private": true, "workspaces": ["packages/*"], "scripts": {"prepare": "husky"}}\n',
          'CHANGELOG.md': '# Changes\n\n- first\n',
          '.gitattributes':
            '* text=auto\nCHANGELOG.md merge=union\n*.bat text eol=crlf\npnpm-lock.yaml -diff linguist-generated\n',
          '.gitignore': 'node_modules/\ndist/\n.env\n',
          'scripts/build.bat': 'echo off\necho build\n',
          'bin/cli': { program: '#!/usr/bin/env node\n' },
          'packages/current': { link: 'pkg-0' },
          'pnpm-lock.yaml': Array.from(
            { length: 20 * packages },
            (_, at) => `  /package-${at}@1.0.${at}:\n    resolution: {integrity: sha512-${at}}\n`,
          ).join(''),
          ...husky(join(place, 'shop')),
        },
      })
    })
    checkOut(root)
    installHusky(root)
  },
  own: (root) => {
    write(root, {
      'node_modules/left-pad/index.js': 'module.exports = 1\n',
      '.env': 'KEY=1\n',
      'notes.txt': 'mine\n',
      'staged.txt': 'staged\n',
    })
    sh(root, 'ln -s ../left-pad node_modules/linked; git add staged.txt; echo edited >> bin/cli; chmod 600 notes.txt')
  },
  work: (worktree) => {
    commit(
      worktree,
      {
        'packages/auth/src/index.ts': 'export const login = 1\n',
        [longPath('added.ts')]: 'long\n',
        'CHANGELOG.md': '# Changes\n\n- first\n- login\n',
      },
      'feat: log in',
    )
    sh(
      worktree,
      'git mv scripts/build.bat scripts/make.bat; git rm -q packages/current; chmod +x package.json; ln -s packages/auth auth',
    )
    commit(worktree, {}, 'refactor: move the build')
    sh(worktree, 'git mv packages/pkg-1 packages/renamed; printf "rem\\r\\n" >> scripts/make.bat')
    commit(worktree, {}, 'refactor: rename a package')
  },
  meanwhile: (root) => {
    sh(
      root,
      "printf -- '- another\\n' >> CHANGELOG.md; f=$(git ls-files packages/pkg-1/src | head -1); echo '// later' >> \"$f\"; git commit -qm 'fix: another' -- CHANGELOG.md \"$f\"",
    )
  },
  unfinished: (worktree) => {
    write(worktree, {
      [longPath('unfinished.ts')]: 'not yet\n',
      'node_modules/a/index.js': '1\n',
      'soon.ts': 'soon\n',
      'partly.ts': 'one\n',
    })
    sh(
      worktree,
      'git add partly.ts; echo two >> partly.ts; git add -N soon.ts; chmod 600 pnpm-lock.yaml; rm CHANGELOG.md; git rm -q --cached bin/cli; ln -s nowhere broken; mkdir empty; printf "a\\r\\n" > scripts/crlf.bat',
    )
  },
  cloneConfig: () => [],
})

/** A library that the systems project holds as a submodule, with three commits. */
const library = (place: string, name: string): readonly string[] => {
  const folder = join(place, `lib${name}`)
  mkdirSync(folder)
  git(folder, 'init', '--quiet', '--initial-branch=main')
  return [1, 2, 3].map((at) =>
    commit(folder, { [`${name}.c`]: `int ${name} = ${at};\n`, 'include/a.h': '#pragma once\n' }, `Release ${at}`),
  )
}

const systems: RealShape = {
  hooks: true,
  name: 'a C project with submodules and many merges',
  make: (place, { commits, files }) => {
    const [first] = library(place, 'zip')
    const [json] = library(place, 'json')
    library(place, 'late')
    const paths = Array.from({ length: files }, (_, at) => {
      const folder = [
        'kernel',
        'drivers/net',
        'drivers/usb/host',
        'fs',
        'include/linux',
        'tools/perf/tests',
        'arch/x86/boot',
      ][at % 7]!
      return at % 101 === 7
        ? longPath(`${at}.c`)
        : at % 50 === 9
          ? `${folder}/Latin-\xff-${at}.h`
          : `${folder}/file_${at}.${at % 4 === 0 ? 'h' : 'c'}`
    })
    const root = begin(place, 'sha1', (history) => {
      const tip = growHistory(history, { seed: 2, commits, files: paths, merged: 60 })
      const sides = [1, 2, 3].map((at) =>
        history.commit({
          branch: `octopus-${at}`,
          message: `Side ${at}\n`,
          files: { [`octopus/${at}`]: `${at}\n` },
          from: tip,
        }),
      )
      history.commit({
        message: 'Merge three branches\n',
        files: { 'octopus/1': '1\n', 'octopus/2': '2\n', 'octopus/3': '3\n' },
        from: tip,
        merges: sides,
      })
      history.commit({
        message: 'Add the build and its libraries\n',
        files: {
          '.gitmodules': `[submodule "vendor/zip"]\n\tpath = vendor/zip\n\turl = ../libzip\n[submodule "lib/json"]\n\tpath = lib/json\n\turl = ../libjson\n\tignore = dirty\n`,
          'vendor/zip': { submodule: first! },
          'lib/json': { submodule: json! },
          configure: { program: '#!/bin/sh\necho ok\n' },
          Makefile: 'all:\n\tcc kernel/*.c\n',
          'scripts/env': { link: '../configure' },
          'win/app.rc': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
          '.gitattributes': '*.c diff=cpp\n*.rc text working-tree-encoding=UTF-16LE eol=crlf\n*.id ident\n',
          'version.id': '$Id$\n',
        },
      })
    })
    checkOut(root)
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
    for (const hook of ['pre-commit', 'post-merge', 'post-checkout', 'reference-transaction']) {
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> '${hookLog(root)}'\n`, { mode: 0o755 })
    }
  },
  own: (root) => {
    write(root, { 'vendor/zip/mine.c': 'int mine;\n', 'build.o': 'object\n' })
    sh(root, 'echo "int more;" >> lib/json/json.c; echo "# mine" >> Makefile; printf "build.o\\n" >> .git/info/exclude')
  },
  work: (worktree) => {
    commit(worktree, { 'kernel/auth.c': 'int auth;\n', 'version.id': '$Id$\nmore\n' }, 'Add auth')
    sh(
      worktree,
      `z=$(git -C ../libzip rev-parse main); l=$(git -C ../liblate rev-parse main); git update-index --add --cacheinfo 160000,$z,vendor/zip --cacheinfo 160000,$l,lib/late; git config -f .gitmodules submodule.lib/late.path lib/late; git config -f .gitmodules submodule.lib/late.url ../liblate; git add .gitmodules; git commit -qm 'Update the libraries'`,
    )
    sh(
      worktree,
      'git checkout -q -b aside HEAD~1; echo aside > fs/aside.c; git add fs/aside.c; git commit -qm Aside; git checkout -q feature/auth; git merge -q --no-edit aside; git branch -qD aside',
    )
    sh(
      worktree,
      "iconv -f UTF-16LE -t UTF-8 win/app.rc | sed 's/six/SIX/' | iconv -f UTF-8 -t UTF-16LE > x; mv x win/app.rc; git commit -qam 'Change a resource'",
    )
  },
  meanwhile: (root) => {
    sh(
      root,
      "iconv -f UTF-16LE -t UTF-8 win/app.rc | sed 's/two/TWO/' | iconv -f UTF-8 -t UTF-16LE > x; mv x win/app.rc; git commit -qm 'Change the same resource' -- win/app.rc; git checkout -qb later main~1; echo l > later; git add later; git commit -qm Later -- later; git checkout -q main; git merge -q --no-edit later; git branch -qD later",
    )
  },
  unfinished: (worktree) => {
    write(worktree, { 'a.out': 'binary\0\n', [longPath('unfinished.c')]: 'int;\n' })
    sh(worktree, 'git mv Makefile GNUmakefile; echo x >> configure; chmod -x configure; rm -r octopus')
  },
  cloneConfig: () => [],
}

/** A filter like git-lfs: a pointer in the commits, the bytes in a folder. It needs sh and sha256sum. */
const smallFilter = {
  clean: `#!/bin/sh
set -e
t=$(mktemp "$1/tmp.XXXXXX"); cat > "$t"
if head -c 40 "$t" | grep -q '^version https://git-lfs'; then cat "$t"; rm "$t"; exit 0; fi
o=$(sha256sum < "$t" | cut -d' ' -f1); s=$(wc -c < "$t" | tr -d ' ')
d="$1/objects/$(echo "$o" | cut -c1-2)/$(echo "$o" | cut -c3-4)"; mkdir -p "$d"; mv "$t" "$d/$o"; chmod 644 "$d/$o"
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' "$o" "$s"
`,
  smudge: `#!/bin/sh
set -e
o=$(sed -n 's/^oid sha256://p'); [ -n "$o" ]
cat "$1/objects/$(echo "$o" | cut -c1-2)/$(echo "$o" | cut -c3-4)/$o"
`,
}

const filterConfig = (place: string, real: boolean): readonly string[] => {
  const store = join(place, 'lfs')
  return real
    ? [
        `lfs.storage=${store}`,
        'filter.lfs.clean=git-lfs clean -- %f',
        'filter.lfs.smudge=git-lfs smudge -- %f',
        'filter.lfs.process=git-lfs filter-process',
        'filter.lfs.required=true',
      ]
    : // Another name, because a machine with git-lfs may configure that name for every repository.
      [
        `filter.pointer.clean=${join(place, 'clean')} ${store}`,
        `filter.pointer.smudge=${join(place, 'smudge')} ${store}`,
        'filter.pointer.required=true',
      ]
}

const data = (real: boolean): RealShape => ({
  hooks: false,
  name: `a project of data and documents with large files by ${real ? 'git-lfs' : 'pointer'}`,
  make: (place, { commits, files }) => {
    const store = join(place, 'lfs')
    mkdirSync(store)
    for (const [name, text] of Object.entries(smallFilter)) writeFileSync(join(place, name), text, { mode: 0o755 })
    const random = randomFrom(3)
    const large = (at: number): string => {
      const bytes = Buffer.alloc(20_000 + random(200_000), `large file ${at} ${random(2 ** 30)}\n`)
      const oid = createHash('sha256').update(bytes).digest('hex')
      const folder = join(store, 'objects', oid.slice(0, 2), oid.slice(2, 4))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, oid), bytes)
      return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`
    }
    const paths = Array.from({ length: files }, (_, at) =>
      at % 61 === 3
        ? longPath(`${at}.md`)
        : [`docs/chapter ${at % 20}/seite-ä-${at}.md`, `notebooks/run-${at}.ipynb`, `tables/part-${at}.csv`][at % 3]!,
    )
    const root = begin(place, 'sha1', (history) => {
      growHistory(history, { seed: 3, commits, files: paths, merged: 10 })
      const pointers = Object.fromEntries(
        Array.from({ length: Math.max(8, Math.round(files / 8)) }, (_, at) => [
          `data/set-${at % 5}/sample-${at}.bin`,
          large(at),
        ]),
      )
      history.commit({
        message: 'Add the samples\n',
        files: {
          ...pointers,
          '.gitattributes': `*.bin filter=${real ? 'lfs diff=lfs merge=lfs' : 'pointer'} -text\n*.ipynb -diff\n`,
        },
      })
      history.commit({
        message: 'Measure again\n',
        files: Object.fromEntries(
          Object.keys(pointers).flatMap((path, at) => (at % 3 === 0 ? [[path, large(1000 + at)]] : [])),
        ),
      })
    })
    for (const setting of filterConfig(place, real))
      git(root, 'config', ...(setting.split(/=(.*)/s).slice(0, 2) as [string, string]))
    checkOut(root)
  },
  own: (root) => {
    write(root, { 'data/mine.bin': 'a large file of mine\n', 'draft.md': 'draft\n' })
    sh(root, 'git add data/mine.bin; echo mine >> data/set-1/sample-1.bin')
  },
  work: (worktree) => {
    commit(
      worktree,
      {
        'data/set-0/sample-0.bin': 'measured anew\n'.repeat(5000),
        'data/new/added.bin': 'added\n'.repeat(9000),
        'docs/added.md': '# Added\n',
      },
      'Measure',
    )
    sh(
      worktree,
      'git mv data/set-2/sample-2.bin data/set-2/renamed.bin; git rm -q data/set-3/sample-3.bin; git commit -qm Sort',
    )
  },
  meanwhile: (root) => {
    sh(root, 'echo later >> data/set-4/sample-4.bin; git commit -qm "Measure later" -- data/set-4/sample-4.bin')
  },
  unfinished: (worktree) => {
    write(worktree, { 'data/unfinished.bin': 'unfinished\n'.repeat(100), 'data/staged.bin': 'staged\n'.repeat(100) })
    sh(worktree, 'git add data/staged.bin; echo edit >> data/set-1/sample-1.bin; rm data/new/added.bin')
  },
  cloneConfig: (place) => filterConfig(place, real),
})

/** The large files are read by a small filter of the test, and by git-lfs itself. */
export const realShapes = (): readonly RealShape[] => [
  monorepo('sha1'),
  systems,
  data(false),
  data(true),
  monorepo('sha256'),
]

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { stampsOf } from '../files/file-stamps.ts'
import { commonFolder } from '../files/git-dir.ts'
import { askGit, git, type GitAnswer } from '../git/git.ts'
import { placeHere } from '../processes/identity.ts'

/**
 * The radar's own bare repository in a temporary folder, which borrows the objects of the real one. Git reads neither
 * the configuration nor the hooks of the real repository here, so it runs no filter, merge driver or attribute that an
 * agent added; and it writes nothing to the real one, neither objects nor an index.
 */
export interface Scratch {
  readonly folder: string
  /** The object folder of the real repository, and the folder that all of its worktrees share. */
  readonly objects: string
  readonly common: string
  /** Copies changes of the real configuration; true if there were any. */
  refresh(): Promise<boolean>
  /** Uses the attributes of this tree for merges; true if they differ from the previous ones. */
  useAttributesOf(tree: string): Promise<boolean>
  /** Runs git on it. `where` sets git's own variables. */
  run(args: readonly string[], where: Where, options?: RunOptions): Promise<GitAnswer>
  close(): void
}

export type Where = Readonly<
  Partial<
    Record<
      | 'GIT_DIR'
      | 'GIT_WORK_TREE'
      | 'GIT_INDEX_FILE'
      | 'GIT_OBJECT_DIRECTORY'
      | 'GIT_AUTHOR_DATE'
      | 'GIT_COMMITTER_DATE',
      string
    >
  >
>
interface RunOptions {
  readonly input?: string
  readonly answers?: readonly number[]
  readonly signal?: AbortSignal
}

export const openScratch = async (root: string): Promise<Scratch> => {
  const common = commonFolder(root)
  if (common === undefined)
    throw new Refusal('not_a_repository', `${root} is not the main checkout of a git repository.`)
  const objects = join(common, 'objects')
  const folder = makeRepository(objects)
  const run = runnerIn(root, folder, common)
  let [configured, attributes] = ['', '']
  return {
    folder,
    objects,
    common,
    run,
    refresh: async () => {
      const print = stampsOf(['config', 'config.worktree', 'info/exclude'].map((name) => join(common, name)))
      if (print === configured) return false
      await copyConfiguration(root, common, folder)
      configured = print
      return true
    },
    useAttributesOf: async (tree) => {
      const files = attributeFiles((await run(['ls-tree', '-r', '-z', '--full-tree', tree], {})).stdout)
      const found = files.map(({ oid, path }) => `${oid} ${path}`).join('\0')
      if (found === attributes) return false
      await writeAttributes(
        join(folder, 'attributes'),
        files,
        async (oid) => (await run(['cat-file', 'blob', oid], {})).stdout,
      )
      attributes = found
      return true
    },
    close: () => removeFolder(folder),
  }
}

const makeRepository = (objects: string): string => {
  const folder = makeFolder()
  for (const part of ['refs', 'info', 'attributes']) mkdirSync(join(folder, part))
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  makeObjects(join(folder, 'objects'), [objects])
  return folder
}

const runnerIn =
  (root: string, folder: string, common: string): Scratch['run'] =>
  (args, where, options = {}) =>
    askGit(join(folder, 'attributes'), args, {
      ...options,
      root,
      // File names need not be text.
      bytes: true,
      environment: {
        GIT_DIR: folder,
        GIT_WORK_TREE: join(folder, 'attributes'),
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_ATTR_NOSYSTEM: '1',
        ...(existsSync(join(common, 'shallow')) ? { GIT_SHALLOW_FILE: join(common, 'shallow') } : {}),
        ...identity,
        ...where,
      },
    })

/** Creates a folder for new objects that borrows all others from the given folders. */
export const makeObjects = (folder: string, others: readonly string[]): string => {
  mkdirSync(join(folder, 'info'), { recursive: true })
  writeFileSync(join(folder, 'info', 'alternates'), others.map((path) => `${path}\n`).join(''))
  return folder
}

/** A fixed identity, so that the commits of uncommitted work always get the same id. */
const identity = {
  GIT_AUTHOR_NAME: 'aiswarm',
  GIT_AUTHOR_EMAIL: 'aiswarm@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'aiswarm',
  GIT_COMMITTER_EMAIL: 'aiswarm@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
} as const

/** The prefix of these folders' names; the number of their process and its pid namespace follow. */
const PREFIX = 'aiswarm-radar-'

const folders = new Set<string>()
let watching = false

/** Creates a folder that is deleted at the end of this process; if the process is killed, the next one deletes it. */
const makeFolder = (): string => {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}.${namespaceHere()}-`))
  folders.add(folder)
  if (!watching) process.once('exit', () => folders.forEach(removeFolder))
  watching = true
  return folder
}

const removeFolder = (folder: string): void => {
  folders.delete(folder)
  rmSync(folder, { recursive: true, force: true })
}

const sweep = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    const [, pid, namespace] = /^(\d+)\.(\d*)-/.exec(name.slice(PREFIX.length)) ?? []
    // Containers may share this folder; the process numbers of another one are meaningless here.
    if (pid === undefined || namespace !== namespaceHere() || isAlive(Number(pid))) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}

/** The pid namespace in which our number is valid. */
const namespaceHere = (): string => placeHere()?.split('#').at(-1) ?? ''

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

const copyConfiguration = async (root: string, common: string, folder: string): Promise<void> => {
  writeFileSync(join(folder, 'config'), configOf(await git(root, ['config', '--list', '--includes', '-z'])))
  const exclude = join(common, 'info', 'exclude')
  if (existsSync(exclude)) copyFileSync(exclude, join(folder, 'info', 'exclude'))
}

/**
 * The settings that decide how files are read and merged and that start no program. All other settings are left out.
 */
const taken =
  /^(core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|excludesfile|trustctime|checkstat)|merge\.(renames|renamelimit|directoryrenames)|diff\.(renames|renamelimit)|extensions\.objectformat)$/

const configOf = (listed: string): string => {
  const values = new Map(
    listed.split('\0').flatMap((entry): [string, string][] => {
      const at = entry.indexOf('\n')
      const [key, value] = at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)]
      return taken.test(key) ? [[key, value]] : []
    }),
  )
  const lines = [...values].map(
    ([key, value]) =>
      `[${key.split('.')[0]}]\n\t${key.split('.')[1]} = "${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"\n`,
  )
  // With `sparseCheckout` git sees files that exist although a sparse checkout leaves them out.
  return `[core]\n\trepositoryformatversion = ${values.has('extensions.objectformat') ? 1 : 0}\n\tattributesFile = /dev/null\n\tsafecrlf = false\n\tsparseCheckout = true\n${lines.join('')}`
}

interface AttributeFile {
  readonly oid: string
  readonly path: string
}

const attributeFiles = (listed: string): readonly AttributeFile[] =>
  listed.split('\0').flatMap((entry) => {
    const [about = '', path = ''] = entry.split('\t')
    const [mode = '', , oid = ''] = about.split(' ')
    // A link, or a path with `..`, could lead anywhere.
    return /(^|\/)\.gitattributes$/.test(path) && !path.split('/').includes('..') && mode.startsWith('100')
      ? [{ oid, path }]
      : []
  })

/** Replaces the content of a folder by the attribute files of a tree. */
const writeAttributes = async (
  folder: string,
  files: readonly AttributeFile[],
  blob: (oid: string) => Promise<string>,
): Promise<void> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { oid, path } of files) {
    const content = await blob(oid)
    const file = Buffer.from(join(folder, path), 'latin1')
    mkdirSync(Buffer.from(dirname(file.toString('latin1')), 'latin1'), { recursive: true })
    writeFileSync(file, Buffer.from(content, 'latin1'))
  }
}

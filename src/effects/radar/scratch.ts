import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { askGit, type GitAnswer } from '../git/git.ts'
import { commonFolder } from '../files/git-dir.ts'
import { stampsOf } from '../files/file-stamps.ts'
import { makeFolder, removeFolder } from './scratch-folder.ts'
import { copyConfiguration } from './scratch-config.ts'
import { attributeFiles, writeAttributes } from './attributes.ts'

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
export interface RunOptions {
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

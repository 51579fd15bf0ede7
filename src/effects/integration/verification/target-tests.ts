import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TargetTests, testFiles } from '../../../domain/integration/test-files.ts'
import { decodedName } from '../../git/quoted-names.ts'
import { git } from '../../git/git.ts'
import { committer } from '../../git/commits.ts'
import { withoutPrograms } from '../../git/drivers.ts'
import { readOutput } from '../../processes/output.ts'
import type { World } from '../../world.ts'
import { logOf, runOn, type ToVerify } from './verifier.ts'

// A branch that weakens its tests passes its own verification. So the same command runs once more with the versions of
// the target: a fact for the person, who may know why a test had to change.

/** The most paths that are remembered, and the part of the output in which they are looked for (bytes). */
const MOST = 100
const OUTPUT = 256 * 1024

/**
 * Verifies a merge with the target's versions of the files of tests and CI that the branch changed or deleted; null if
 * it did neither. `patterns` null stands for those that aiswarm knows.
 */
export const verifyWithTargetTests = async (
  world: World,
  toVerify: ToVerify,
  targetOid: string,
  patterns: readonly string[] | null,
): Promise<TargetTests | null> => {
  const { root } = world.core
  const files = await changedTests(
    root,
    targetOid,
    toVerify.commit,
    patterns ?? testFiles.flatMap((known) => known.patterns),
  )
  if (files.length === 0) return null
  const commit = await commitWith(root, toVerify.commit, files)
  const log = logOf(world, `verify-${toVerify.integrations.at(-1)!}-target-tests`)
  const { exitCode } = await runOn(world, { ...toVerify, commit }, log)
  const paths = files.map(({ path }) => decodedName(Buffer.from(path, 'latin1')))
  const output = exitCode === 0 ? '' : (await readOutput(log, { tail: OUTPUT })).text
  const deleted = files.filter(({ isDeleted }) => isDeleted).length
  return {
    changed: files.length - deleted,
    deleted,
    paths: paths.slice(0, MOST),
    named: paths.filter((path) => output.includes(path)).slice(0, MOST),
    exitCode,
    log,
  }
}

/** A file as it is on the target. */
interface TestFile {
  readonly mode: string
  readonly oid: string
  /** Its bytes, one character each. */
  readonly path: string
  readonly isDeleted: boolean
}

/** New files stay: the target has no other version of them. */
const changedTests = async (
  root: string,
  targetOid: string,
  commit: string,
  patterns: readonly string[],
): Promise<readonly TestFile[]> => {
  if (patterns.length === 0) return []
  const globs = patterns.map((pattern) => `:(top,glob,icase)${pattern}`)
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--diff-filter=MDT', targetOid, commit]
  const words = (await git(root, [...args, '--', ...globs], { bytes: true })).split('\0')
  return Array.from({ length: Math.floor(words.length / 2) }, (_, at): TestFile => {
    const [mode = '', , oid = '', , status] = words[2 * at]!.slice(1).split(' ')
    return { mode, oid, path: words[2 * at + 1]!, isDeleted: status === 'D' }
  }).filter(({ mode }) => mode !== SUBMODULE)
}

const SUBMODULE = '160000'

/** A commit of the merge with these files; no ref leads to it. */
const commitWith = async (root: string, commit: string, files: readonly TestFile[]): Promise<string> => {
  const scratch = mkdtempSync(join(tmpdir(), 'aiswarm-target-tests-'))
  try {
    const environment = { ...(await withoutPrograms(root)), GIT_INDEX_FILE: join(scratch, 'index') }
    await git(root, ['read-tree', commit], { environment })
    await git(root, ['update-index', '--add', '--replace', '-z', '--index-info'], {
      input: files.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join(''),
      bytes: true,
      environment,
    })
    const tree = (await git(root, ['write-tree'], { environment })).trim()
    const input = "Verify with the target's tests\n"
    return (await git(root, ['commit-tree', tree, '-p', commit], { input, environment: await committer(root) })).trim()
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

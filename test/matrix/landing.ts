import { expect } from 'vitest'
import { git } from '../effects/swarm.ts'
import { changesBetween, type Fingerprint, hash, shown } from './fingerprint.ts'
import { gitBytes } from './git.ts'
import type { Outcome } from './operations.ts'

/**
 * Expects that exactly the approved merge is in the target: made of the approved commits as git itself would merge
 * them. In a checkout of the target each of its files is as in the merge, and everything else is unchanged.
 */
export const expectLanded = (
  root: string,
  merge: NonNullable<Outcome['merge']>,
  before: ReadonlyMap<string, Fingerprint>,
  after: ReadonlyMap<string, Fingerprint>,
): void => {
  const { targetOid, branchOid, mergeOid } = merge
  expect(git(root, 'rev-parse', 'refs/heads/main')).toBe(mergeOid)
  if (mergeOid !== targetOid) {
    expect(git(root, '--no-replace-objects', 'log', '-1', '--format=%P', mergeOid)).toBe(`${targetOid} ${branchOid}`)
    expect(git(root, '--no-replace-objects', 'log', '-1', '--format=%T', mergeOid)).toBe(
      git(root, '--no-replace-objects', 'merge-tree', '--write-tree', targetOid, branchOid).split('\n')[0],
    )
  }
  const paths = split(
    gitBytes(root, '--no-replace-objects', 'diff-tree', '-r', '-z', '--name-only', '--no-renames', targetOid, mergeOid),
  )
  for (const [folder, print] of before) {
    const now = after.get(folder)!
    const isCheckout =
      before.get(folder)!.get('HEAD') === 'refs/heads/main' &&
      gitBytes(root, 'config', '--file', '.git/config', '--type=bool', 'core.bare').toString() !== 'true\n'
    const allowed = new Set(['ref refs/heads/main', ...(isCheckout ? paths.flatMap(keysOf) : [])])
    expect(changesBetween(print, now).filter((key) => !allowed.has(key))).toEqual([])
    if (!isCheckout) continue
    for (const path of paths) {
      // Outside a sparse checkout only the index follows.
      if (now.get(`index ${shown(path)} flag`) === 'S')
        expect(now.get(`file ${shown(path)}`)).toBe(print.get(`file ${shown(path)}`))
      else expect([shown(path), now.get(`file ${shown(path)}`)]).toEqual([shown(path), asIn(folder, mergeOid, path)])
    }
  }
}

/** A file as a checkout of the commit contains it. */
const asIn = (folder: string, commit: string, path: Buffer): string | undefined => {
  const entry = split(gitBytes(folder, 'ls-tree', '-r', '-z', '--full-tree', commit)).find((line) =>
    line.subarray(line.indexOf(9) + 1).equals(path),
  )
  if (!entry) return undefined
  const [mode, , oid] = entry.subarray(0, entry.indexOf(9)).toString().split(' ')
  if (mode === '120000') return `link ${gitBytes(folder, 'cat-file', 'blob', oid!).toString()}`
  const raw = gitBytes(folder, 'cat-file', 'blob', oid!)
  const bytes = path.every((byte) => byte < 128 && byte > 31)
    ? gitBytes(folder, 'cat-file', '--filters', `--path=${path.toString()}`, oid!)
    : raw
  return `${mode!.slice(3)} ${hash(bytes)}`
}

/** The paths that a path of the merge may change: the file, its index entry, and the folders that appear or disappear with it. */
const keysOf = (path: Buffer): readonly string[] => {
  const name = shown(path)
  const folders = name
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => `file ${parts.slice(0, at + 1).join('/')}`)
  return [
    `file ${name}`,
    `index ${name} flag`,
    ...['0', '1', '2', '3'].map((stage) => `index ${name} ${stage}`),
    ...folders,
  ]
}

const split = (bytes: Buffer): readonly Buffer[] => {
  const parts: Buffer[] = []
  for (let from = 0, end = bytes.indexOf(0); end !== -1; from = end + 1, end = bytes.indexOf(0, from))
    parts.push(bytes.subarray(from, end))
  return parts
}

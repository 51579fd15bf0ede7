import { constants, copyFileSync, existsSync, fsyncSync, openSync, closeSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { notWritable } from '../../file-errors.ts'
import { places } from '../format/names.ts'
import { makeFolder, type ProjectPlace } from './place.ts'

// Replaced files are kept below `.claude/sessions/archive`, byte for byte.

/** Copies a file as it is now and returns the path of the copy. */
export const archiveCopy = (place: ProjectPlace, path: string): string => {
  const target = freeName(place, path)
  try {
    copyFileSync(join(place.root, path), join(place.root, target), constants.COPYFILE_EXCL)
    sync(join(place.root, target))
    sync(join(place.root, places.archive))
  } catch (error) {
    // An incomplete copy is deleted.
    rmSync(join(place.root, target), { force: true })
    throw notWritable(target, error)
  }
  return target
}

/** Moves a file in one step and returns its new path. */
export const archiveMove = (place: ProjectPlace, path: string): string => {
  const target = freeName(place, path)
  try {
    renameSync(join(place.root, path), join(place.root, target))
    sync(join(place.root, places.archive))
    sync(dirname(join(place.root, path)))
  } catch (error) {
    throw notWritable(path, error)
  }
  return target
}

/** `working-0.1-20260130T142230.000Z.jsonl`; the lock keeps other processes from using the name. */
const freeName = (place: ProjectPlace, path: string): string => {
  makeFolder(place, places.archive)
  const ending = extname(path)
  const stem = `${places.archive}/${basename(path, ending)}-${place.clock().replace(/[-:]/g, '')}`
  for (let copy = 1; ; copy++) {
    const name = `${stem}${copy === 1 ? '' : `-${copy}`}${ending}`
    if (!existsSync(join(place.root, name))) return name
  }
}

const sync = (path: string): void => {
  const handle = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

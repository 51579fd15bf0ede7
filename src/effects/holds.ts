import { statfsSync, statSync } from 'node:fs'
import { bytes } from '../domain/bytes.ts'
import type { World } from './world.ts'

/** Why this process starts nothing now, though it could; undefined where it may. */
export const whyHold = (world: Pick<World, 'core' | 'self'>): string | undefined => whyReplaced(world.self) ?? whyDiskIsLow(world.core)

/** The program as it lay on the disk when this process first asked. */
let began: string | undefined

/**
 * Parts of the program are loaded when they are needed, and an upgrade takes the files of the one that runs away: what it
 * would start would fail with a missing module.
 */
const whyReplaced = (self: readonly string[]): string | undefined => {
  const now = stampOf(self.at(-1) ?? '')
  began ??= now
  return now === began ? undefined : 'aiswarm was replaced on disk; restart it'
}

const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'gone' : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`
}

const whyDiskIsLow = ({ root, settings }: World['core']): string | undefined => {
  const { bavail, bsize } = statfsSync(root)
  const free = bavail * bsize
  return free < settings.session.freeDisk ? `only ${bytes(free)} of the disk is free` : undefined
}

import { readFileSync, writeFileSync, mkdirSync, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { instant, milliseconds } from '../../../src/domain/words/time.ts'
import { acceptAdr, proposeAdr } from '../../../src/memory/project-memory/decisions.ts'
import { initProjectMemory } from '../../../src/memory/project-memory/init.ts'
import type { ProjectPlace } from '../../../src/memory/project-memory/store.ts'
import { start, temporaryFolder } from '../../support/core.ts'

/** Project memory in a folder of its own, with helpers for common steps of the tests. */
export const project = ({
  scaffold = true,
  owners = defaultSettings.memory.owners,
}: { scaffold?: boolean; owners?: ProjectPlace['owners'] } = {}) => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  let now = milliseconds(start)
  const place: ProjectPlace = { root, lock: withFileLock, clock: () => instant(now), owners }
  if (scaffold) initProjectMemory(place)
  return {
    place,
    root,
    pass: (ms: number) => void (now += ms),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    write: (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    has: (path: string) => existsSync(join(root, path)),
    /** Every plain file with its content. */
    files: (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(root, { recursive: true, encoding: 'utf8' })
          .filter((name) => statSync(join(root, name)).isFile())
          .sort()
          .map((name) => [name, readFileSync(join(root, name), 'latin1')]),
      ),
    propose: (id: string, writer = 'chatgpt', text = adrText(id)) => proposeAdr(place, { id, text }, writer),
    accepted: (id: string) => {
      proposeAdr(place, { id, text: adrText(id) }, 'chatgpt')
      return acceptAdr(place, id, 'claude')
    },
  }
}

export type Project = ReturnType<typeof project>

export const adrText = (id: string, status = 'Draft'): string => `# ${id}: Keep a chain of hashes

## Status
${status}

## Context
Entries could be changed.

## Decision
Each entry holds the hash of the one before.

## Constraints
- Offline first
- No network
`

/** The code and message of the refusal that `work` throws. */
export const refusalOf = (work: () => unknown): { code: string; message: string } => {
  try {
    work()
  } catch (error) {
    if (isRefusal(error)) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('expected a refusal')
}

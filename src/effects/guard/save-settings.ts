import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SettingChange } from '../../contracts/configuration.ts'
import { CONFIGURATION } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'
import { withChanges } from '../configuration/settings.ts'
import { configPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { replaceKept } from '../files/replace-file.ts'
import type { World } from '../world.ts'
import { changingOwn, meaningOf } from './own-configuration.ts'

/**
 * Writes a person's changes, and trusts these only, not other edits that the file has received. A lock serialises
 * processes; a file that has another text than `before` is not overwritten.
 */
export const saveSettings = async (world: World, before: string, changes: readonly SettingChange[]): Promise<void> => {
  const path = configPath(world.core.root)
  await changingOwn(
    world,
    async () => write(path, before, changes),
    (after, trusted) => ({
      ...trusted,
      [CONFIGURATION]: meaningOf(
        meaningOf(before) === trusted[CONFIGURATION]
          ? after
          : withChanges(trusted[CONFIGURATION] ?? '', path, changes).text,
      ),
    }),
  )
}

const write = (path: string, before: string, changes: readonly SettingChange[]): string => {
  // Git ignores this folder.
  const folder = join(dirname(path), 'run')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return withFileLock(join(folder, 'config.lock'), () => {
    if ((readRegular(path) ?? '') !== before)
      throw new Refusal(
        'configuration_changed',
        `${path} has changed since it was read, so nothing was saved. Read it again; your changes are kept.`,
      )
    const { text } = withChanges(before, path, changes)
    replaceKept(path, text)
    return text
  })
}

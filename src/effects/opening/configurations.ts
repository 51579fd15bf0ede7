import type { Configurations } from '../../contracts/configuration.ts'
import { CONFIGURATION } from '../../domain/integration/trusted-configuration.ts'
import { settingsNow, withChanges } from '../configuration/settings.ts'
import { saveSettings } from '../guard/save-settings.ts'
import { configPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { askGit } from '../git/git.ts'
import type { World } from '../world.ts'

/** The configuration file for the console of a person. */
export const configurationsOf = (world: World): Configurations => {
  const { root, settings } = world.core
  const path = configPath(root)
  return {
    read: async () => {
      const text = readRegular(path) ?? ''
      // A broken file is refused here, with its line.
      withChanges(text, path, [])
      const { target } = settings.integration
      const { exitCode, stdout } = await askGit(root, ['cat-file', 'blob', `refs/heads/${target}:${CONFIGURATION}`], {
        answers: [128],
      })
      const found = { 'integration.target': target, 'agents.default': settings.agents.default }
      return { path, text, target, settings: settingsNow(text, found, exitCode === 0 ? stdout : undefined) }
    },
    draft: async (text, changes) => withChanges(text, path, changes),
    save: (before, changes) => saveSettings(world, before, changes),
  }
}

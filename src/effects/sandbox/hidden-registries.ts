import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Mount } from '../../domain/sandbox/policy.ts'
import { readRegular } from '../files/regular-file.ts'
import { isVisible } from './hidden-servers.ts'

/** Files in which a person names a registry of packages, and the sign that one does. */
const registries = [
  { tool: 'npm', path: '.npmrc', sign: /^\s*(?:@[^:\s]+:)?registry\s*=|:_auth(?:Token)?\s*=/m },
  { tool: 'Yarn', path: '.yarnrc.yml', sign: /^\s*npmRegistryServer\s*:/m },
  { tool: 'pip', path: '.config/pip/pip.conf', sign: /^\s*(?:extra-)?index-url\s*=/m },
  { tool: 'pip', path: '.pip/pip.conf', sign: /^\s*(?:extra-)?index-url\s*=/m },
  { tool: 'Maven', path: '.m2/settings.xml', sign: /<(?:mirror|repository)>/ },
] as const

/** Which registries of the person a program inside does not know, as a sentence for each. */
export const hiddenRegistries = (mounts: readonly Mount[], home: string = homedir()): readonly string[] =>
  registries.flatMap(({ tool, path, sign }) => {
    const file = join(home, path)
    return sign.test(readRegular(file) ?? '') && !isVisible(file, mounts)
      ? [`The sandbox hides ~/${path}, so ${tool} inside does not use its registry. List ~/${path} in sandbox.read.`]
      : []
  })

import { obeyedFiles } from '../../src/domain/integration/obeyed-files.ts'
import { testFiles } from '../../src/domain/integration/test-files.ts'
import { type Places, policy, type Purpose } from '../../src/domain/sandbox/policy.ts'
import { riskWords } from '../../src/text/states.ts'
import { table } from './tables.ts'

/** Which access a row gives, for readers: a row whose access is a setting names both. */
export const sandboxTable = (): string =>
  table(
    ['what', 'access', 'for'],
    policy.map(({ what, access, for: purposes }) => [
      what,
      typeof access === 'string'
        ? access
        : `${access({ othersHidden: false } as Places)}; with \`sandbox.others: hide\` ${access({ othersHidden: true } as Places)}`,
      purposes === undefined ? 'all' : forWhom(purposes),
    ]),
  )

const forWhom = (purposes: readonly Purpose[]): string => {
  if (purposes.includes('look')) return "aiswarm's git"
  return purposes.includes('teardown') ? 'all programs' : purposes.join(', ')
}

/** Files of tests and CI, of which verification tries the target's versions. */
export const testFilesTable = (): string =>
  table(
    ['what', 'patterns'],
    testFiles.map(({ what, patterns }) => [what, patterns.map((pattern) => `\`${pattern}\``).join(', ')]),
  )

/** Files that programs obey, which a review lists before the diff. */
export const obeyedFilesTable = (): string =>
  table(
    ['shown as', 'who obeys', 'patterns'],
    obeyedFiles.map(({ kind, program, does, patterns }) => [
      riskWords[kind],
      `${program} ${does}`,
      patterns.map((pattern) => `\`${pattern.replace(/^\*\*\//, '')}\``).join(', '),
    ]),
  )

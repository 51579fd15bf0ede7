import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { figuresOfTests } from './suites.ts'
import type { Proof } from './proof.ts'

const root = resolve(import.meta.dirname, '../..')

/** A removed rule, and the test files that must detect that, or proofs if no test can. A row of `mutants.json`. */
export interface Mutant {
  readonly id: string
  /** The rule that holds in the unchanged source. */
  readonly rule: string
  readonly file: string
  /** Found exactly once in the file. */
  readonly text: string
  readonly replacement: string
  readonly tests?: readonly string[]
  readonly proofs?: readonly string[]
}

export const readMutants = (): readonly Mutant[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'mutants.json'), 'utf8')) as Mutant[]

/** The reason why a row of the table no longer fits the source, or undefined. */
export const whyOutdated = ({ file, text, replacement, tests = [], proofs = [] }: Mutant): string | undefined => {
  const path = join(root, file)
  if (!existsSync(path)) return `there is no ${file} any more; name the file that holds the rule now.`
  const found = readFileSync(path, 'utf8').split(text).length - 1
  if (found !== 1) return `its text is found ${found} times in ${file}; copy the rule from there as it is now.`
  if (text === replacement) return 'its replacement takes nothing away.'
  if (tests.length + proofs.length === 0) return 'it names nothing that ought to notice.'
  const missing = tests.find((test) => !existsSync(join(root, test)))
  return missing === undefined ? undefined : `there is no ${missing} any more; name the tests that ought to notice now.`
}

/** Removes one rule at a time, in a copy of the tree, and runs the tests that must detect it. */
export const mutants: Proof = {
  name: 'mutants',
  shows: 'Each rule of safety, taken away from the source, makes a test fail.',
  run: (share) => {
    const chosen = pickedOf(share.some(readMutants()))
    const current = chosen.filter((mutant) => whyOutdated(mutant) === undefined)
    const violations = chosen
      .filter((mutant) => !current.includes(mutant))
      .map((mutant) => `${nameOf(mutant)}: ${whyOutdated(mutant)!}`)
    const counts = { rules: chosen.length, caught: 0 }
    const copy = mkdtempSync(join(tmpdir(), 'aiswarm-mutants-'))
    try {
      copyTree(copy)
      // A test that fails without a mutant would seem to detect every mutant.
      violations.push(
        ...failuresIn(copy, [...new Set(current.flatMap(({ tests = [] }) => tests))]).map(
          (failed) => `without a mutant: ${failed}`,
        ),
      )
      for (const mutant of current) {
        const survived = whySurvived(copy, mutant)
        if (survived === undefined) counts.caught++
        else violations.push(`${nameOf(mutant)}: ${survived}`)
      }
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
    return Promise.resolve({ counts, violations })
  },
}

/** `MUTANTS=M06,M44` picks some by their ids. */
const pickedOf = (all: readonly Mutant[]): readonly Mutant[] => {
  const ids = process.env['MUTANTS']?.split(',')
  return ids === undefined ? all : readMutants().filter(({ id }) => ids.includes(id))
}

const nameOf = ({ id, rule }: Mutant): string => `${id} (${rule})`

/**
 * Everything except built, stored and installed files; the packages are linked one by one, so that no cache is written
 * into them.
 */
const copyTree = (copy: string): void => {
  const apart = ['.git', 'dist', 'node_modules', '.aiswarm']
  for (const name of readdirSync(root))
    if (!apart.includes(name)) cpSync(join(root, name), join(copy, name), { recursive: true })
  // Tests start programs as another user, who must be able to read the tree.
  chmodSync(copy, 0o755)
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.vite')) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
}

/**
 * A test that this machine skips proves nothing about a mutant, and is not a failure. All of a heavy test runs,
 * because the part of a day might miss a rule.
 */
const failuresIn = (copy: string, tests: readonly string[]): readonly string[] => {
  if (tests.length === 0) return []
  const { counts, failures, violations } = figuresOfTests(tests, { EVERY: '1' }, { root: copy })
  return counts['tests'] === 0 ? violations : failures
}

const whySurvived = (
  copy: string,
  { file, text, replacement, tests = [], proofs = [] }: Mutant,
): string | undefined => {
  const path = join(copy, file)
  const before = readFileSync(path, 'utf8')
  // Not by a pattern, because a replacement may contain a `$`.
  writeFileSync(path, before.split(text).join(replacement))
  try {
    // The sources alone, and the part of a heavy test that runs today, are mostly enough to notice. The program is built,
    // and all of the test runs, which may take minutes, only if they are not.
    const doses: readonly Readonly<Record<string, string>>[] =
      tests.length > 0 ? [{ BUILD: '0' }, {}, { EVERY: '1' }] : []
    for (const dose of doses) {
      const { failures, violations, counts } = figuresOfTests(tests, dose, { root: copy, bail: true })
      if (failures.length > 0) return undefined
      if (counts['tests'] === 0) return `the source does not run without it: ${violations[0]!}`
    }
    // A tenth of a proof, which writes no report.
    const caught = proofs.some(
      (proof) =>
        spawnSync(process.execPath, ['test/prove/run.ts', proof], {
          cwd: copy,
          env: { ...process.env, PROVE_SHARE: '10' },
          stdio: 'ignore',
        }).status === 1,
    )
    return caught ? undefined : `nothing in ${[...tests, ...proofs].join(', ')} notices.`
  } finally {
    writeFileSync(path, before)
  }
}

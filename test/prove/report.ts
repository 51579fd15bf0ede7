import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, release, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import { figuresOf, type Result } from './proof.ts'
import { proofs } from './proofs.ts'

const root = resolve(import.meta.dirname, '../..')
const path = join(root, 'docs', 'proof.md')

/** Writes the figures of these proofs into `docs/proof.md`; the figures of other proofs stay. */
export const writeReport = (results: readonly Result[]): void => {
  mkdirSync(join(root, 'docs'), { recursive: true })
  writeFileSync(path, reportWith(existsSync(path) ? readFileSync(path, 'utf8') : '', results, here()))
}

/** The place and the versions of the measurement, without anything that names this machine. */
export interface Place {
  readonly date: string
  readonly machine: string
  readonly commit: string
}

/** The report with the new figures in place of the old ones of the same proofs. */
export const reportWith = (before: string, results: readonly Result[], { date, machine, commit }: Place): string => {
  const kept = new Map([...before.matchAll(/^- \*\*(\S+)\*\*: .*$/gm)].map(([line, name]) => [name!, line]))
  for (const result of results) {
    const shows = proofs.find(({ name }) => name === result.name)?.shows ?? ''
    kept.set(
      result.name,
      `- **${result.name}**: ${figuresOf(result)}. ${shows} (${date}, commit ${commit}; ${machine})`,
    )
  }
  const lines = proofs.flatMap(({ name }) => kept.get(name) ?? `- **${name}**: not run yet.`)
  return [
    '# Proof',
    '',
    '`npm run prove` runs these and writes their figures here. A proof that the machine cannot run fails with its reason.',
    '',
    ...lines,
    '',
  ].join('\n')
}

const here = (): Place => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release().replace(/-.*/, '')}, Node ${process.version}`,
  commit: `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--', 'src', 'components', 'migrations', 'test') === '' ? '' : ' with changes'}`,
})

const git = (...words: readonly string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()

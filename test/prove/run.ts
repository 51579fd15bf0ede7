import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Figures, holds, lineOf, type Proof, type Result } from './proof.ts'
import { proofs } from './proofs.ts'
import { writeReport } from './report.ts'
import { sideBySide } from './side-by-side.ts'

// `npm run prove [-- name…]` runs every proof, or those that are named, on the built program.
// PROVE_SHARE=10 runs a tenth of each, PROVE_DAY=20781 that of another day (since 1970). PROVE_STACKS=1 prints the stack of a proof that throws. Code 1 if any fails.

/**
 * The time after which a hanging proof is ended (ms). All of them together should take 45 minutes on two cores; at night
 * (`PROVE=night`) one of them takes an hour.
 */
const LONGEST = (process.env['PROVE'] === 'night' ? 90 : 40) * 60_000

/** Concurrent proofs: most of them wait for processes half of their time. */
const LANES = 2

const names = process.argv.slice(2)
const unknown = names.filter((name) => !proofs.some((proof) => proof.name === name))
if (unknown.length > 0) {
  console.error(`There is no proof ${unknown.join(', ')}. Choose from: ${proofs.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const divisor = Number(process.env['PROVE_SHARE'] ?? 1)
const day = Number(process.env['PROVE_DAY'] ?? Math.floor(Date.now() / 86_400_000))
const results: Result[] = []
const chosen = proofs.filter(({ name }) => names.length === 0 || names.includes(name))
await sideBySide(chosen, LANES, async (proof) => {
  const result = await runApart(proof)
  results.push(result)
  console.log(lineOf(result))
  for (const violation of result.figures?.violations.slice(0, 500) ?? []) console.log(`  ${violation}`)
})
// A part of the figures would read like all of them.
if (divisor === 1 && process.env['MUTANTS'] === undefined) writeReport(results)
process.exit(results.every(holds) ? 0 : 1)

async function runApart({ name }: Proof): Promise<Result> {
  const begun = performance.now()
  const child = fork(join(import.meta.dirname, 'one.ts'), [name, String(divisor), String(day)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let answer: { figures?: Figures; failure?: string } = {}
  child.on('message', (message) => (answer = message as typeof answer))
  const limit = setTimeout(() => {
    answer = { failure: `it did not end within ${LONGEST / 60_000} minutes.` }
    child.kill('SIGKILL')
  }, LONGEST)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(limit)
  const silent = answer.figures === undefined && answer.failure === undefined
  return {
    name,
    figures: answer.figures,
    failure: silent ? `its process ended with ${signal ?? `code ${code}`} before it gave figures.` : answer.failure,
    seconds: (performance.now() - begun) / 1000,
  }
}

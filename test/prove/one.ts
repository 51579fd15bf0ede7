import { shareOf } from './proof.ts'
import { proofs } from './proofs.ts'

// Runs one proof and sends its figures to the process that started this one: `node one.ts NAME DIVISOR DAY`.
// A process each, so that a proof that crashes, leaks or changes the environment fails alone.

const [name, divisor, day] = process.argv.slice(2)
const proof = proofs.find((one) => one.name === name)!
try {
  send({ figures: await proof.run(shareOf(Number(divisor), Number(day))) })
} catch (error) {
  if (process.env['PROVE_STACKS']) console.error(error)
  send({ failure: error instanceof Error ? error.message : String(error) })
}

function send(message: object): void {
  if (!process.send) throw new Error('Start proofs by `npm run prove`.')
  process.send(message, () => process.exit(0))
}

import { claim } from './rows/claim.ts'
import { contention } from './rows/contention.ts'
import type { Row } from './row.ts'

// Prints what DESIGN section 8 promises, as ratios or counts, each measured in this run.

const rows: readonly (() => Promise<Row>)[] = [claim, () => contention(20), () => contention(0)]

for (const measure of rows) {
  const { what, measured, target, kept } = await measure()
  console.log(`${kept === null ? ' ' : kept ? '✓' : '✗'} ${what}\n    ${measured}   (${target})`)
}

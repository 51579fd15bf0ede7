import type { Reporter, TestModule } from 'vitest/node'
import { postgresPrograms } from './postgres.ts'

/** Names at the end of a run what did not run, so that a green run on a smaller machine is not taken for the whole. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const lines = skipped.map((test) => {
      const result = test.result()
      return `${test.fullName}${result.state === 'skipped' && result.note ? `: ${result.note}` : ''}`
    })
    if (postgresPrograms() === undefined)
      lines.unshift('everything on PostgreSQL: it is not installed (apt-get install postgresql). PGlite ran instead')
    if (lines.length === 0) return
    console.log(`\nNot run:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

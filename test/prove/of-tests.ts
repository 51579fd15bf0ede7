import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Figures } from './proof.ts'

const root = resolve(import.meta.dirname, '../..')

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly failureMessages: readonly string[] }[]
  }[]
}

/** Runs test files and counts their tests; one that fails, or is skipped, is a violation. `environment` makes them run more than they do daily. */
export const figuresOfTests = (files: readonly string[], environment: Readonly<Record<string, string>> = {}): Figures => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-prove-'))
  try {
    const output = join(folder, 'report.json')
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files, '--reporter=json', `--outputFile=${output}`], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    })
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
    const broken = report.testResults.filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== '').map(({ message }) => message)
    const failed = tests.filter(({ status }) => status !== 'passed').map(({ fullName, status, failureMessages }) => `${fullName}: ${failureMessages[0]?.split('\n')[0] ?? status}`)
    return { counts: { tests: tests.length }, violations: [...broken, ...failed] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lastLine } from '../../../src/effects/processes/output.ts'
import { outputOf, runCommand, trial } from '../../../src/effects/processes/process.ts'
import { temporaryFolder } from '../../support/core.ts'
import { endProcess } from '../../support/processes.ts'

/** A shell that leaves a program running with its output, until the end of the test. */
const leaving = (before: string): string => {
  const pidFile = join(temporaryFolder(), 'pid')
  onTestFinished(() => endProcess(Number(readFileSync(pidFile, 'utf8'))))
  return `sleep 600 & echo $! > ${pidFile}; ${before}`
}

const shell = (command: string, within: { timeout: number; most?: number } = { timeout: 60_000 }) =>
  outputOf('/bin/sh', ['-c', command], { cwd: '/', ...within })

describe('a command of the configuration', () => {
  it('with a timeout of months is not ended at once', async () => {
    const folder = temporaryFolder()
    const end = await runCommand('sleep 0.3', { cwd: folder, output: join(folder, 'output'), timeout: 60 * 86_400_000 })
    expect(end).toEqual({ exitCode: 0, timedOut: false, goesOn: false })
  })

  it('ends with its shell, and its output says that a program continues', async () => {
    const folder = temporaryFolder()
    const output = join(folder, 'output')
    const command = leaving('echo the reason; exit 3')
    expect(await runCommand(command, { cwd: folder, output, timeout: 60_000, input: 'x'.repeat(1_000_000) })).toEqual({
      exitCode: 3,
      timedOut: false,
      goesOn: true,
    })
    expect(readFileSync(output, 'utf8')).toBe(
      'the reason\n… the command has ended, but a program that it started continues: the rest of its output may be missing …\n',
    )
    expect(await lastLine(output)).toBe('the reason')
  })
})

describe('the output of a program', () => {
  it('ends with the end of the stream', async () => {
    expect(await shell('(sleep 2; echo the end) & echo the beginning')).toEqual({
      exitCode: 0,
      output: 'the beginning\nthe end',
      cut: null,
    })
  })

  it('that a program which it started keeps open is not whole', async () => {
    expect(await shell(leaving('echo something'), { timeout: 500 })).toMatchObject({ exitCode: 0, cut: 'open' })
    expect(await trial(['/bin/sh', '-c', leaving('echo something')], 500)).toEqual({
      exitCode: null,
      output: '/bin/sh has ended, but a program that it started kept its output open for 0.5 s',
    })
  })

  it('that is too long is not whole', async () => {
    const flood = "head -c 200000 /dev/zero | tr '\\0' x"
    expect(await shell(flood)).toMatchObject({ cut: 'long' })
    expect((await shell(flood, { timeout: 60_000, most: 1_000_000 })).output).toHaveLength(200_000)
    expect(await trial(['/bin/sh', '-c', flood], 60_000)).toEqual({
      exitCode: null,
      output: '/bin/sh printed more than it is asked for',
    })
  })

  it('of a program that does not end is not whole', async () => {
    expect(await shell("trap '' TERM; while :; do sleep 0.1; done", { timeout: 300 })).toMatchObject({ cut: 'late' })
    expect(await trial(['sleep', '600'], 300)).toEqual({ exitCode: null, output: 'sleep did not end within 0.3 s' })
  })

  it('of a program that does not exist is empty', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'no-program'), '')
    expect(await trial([join(folder, 'no-program')], 60_000)).toMatchObject({ exitCode: null, output: '' })
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { announce, announcer } from '../../../src/effects/opening/notifications.ts'
import { temporaryFolder } from '../../support/core.ts'
import { eventually } from '../../support/eventually.ts'

const nasty = `'; touch owned; echo "$(touch owned2)" \`touch owned3\` {text}`

it("the notifier runs the person's command with the text as one argument, without a shell", async () => {
  const root = temporaryFolder()
  expect(await announce(root, 'printf "%s|%s" {text} "$AISWARM_NOTICE" > heard', nasty)).toBeNull()
  expect(readFileSync(join(root, 'heard'), 'utf8')).toBe(`${nasty}|${nasty}`)
  for (const name of ['owned', 'owned2', 'owned3']) expect(existsSync(join(root, name))).toBe(false)
})

it('the notifier reports the cause of a failure with its output', async () => {
  const root = temporaryFolder()
  expect(await announce(root, 'echo no display; exit 3', 'x')).toBe('exit code 3')
  expect(readFileSync(join(root, '.aiswarm/logs/notices.log'), 'utf8')).toBe('no display\n')
  expect(await announce(root, 'sleep 60', 'x', 100)).toBe('it did not exit within 0.1 s')
})

it('the notifier runs one command at a time, keeps only the latest waiting text, and reports the same failure once', async () => {
  const root = temporaryFolder()
  const reports: string[] = []
  const tell = announcer(
    root,
    () => 'echo {text} >> heard; exit 1',
    (sentence) => reports.push(sentence),
  )
  tell('first')
  await eventually(() => expect(readFileSync(join(root, 'heard'), 'utf8')).toBe('first\n'))
  tell('second')
  tell('third')
  await eventually(() => expect(readFileSync(join(root, 'heard'), 'utf8')).toContain('third'))
  expect(readFileSync(join(root, 'heard'), 'utf8')).toBe('first\nthird\n')
  await eventually(() => expect(reports).toEqual(['The notify command failed: exit code 1.']))
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { generous, openShop } from './pty.ts'

test(
  "a command that an agent writes into aiswarm's configuration is shown, and no console runs it before a person has accepted it",
  generous,
  async (context: TestContext) => {
    const shop = openShop(context, {
      config: 'session: {maxRetries: 0}\nnotify: {command: "printf \'%s\\n\' {text} >> heard"}\n',
    })
    const wrong = 'session: {maxRetries: 0}\nnotify: {command: touch owned}\n'
    await shop.worktree('aside')
    const first = await shop.console({ columns: 140 })
    await shop.add('Meddle', `printf '%s' '${wrong}' > .aiswarm/config.yaml`)
    await first.until('⚑ 1 needs you')
    first.press('W')
    await first.until(/! configuration .*aiswarm's own configuration changed while agents ran/)
    await first.until('+ .aiswarm/config.yaml: notify.command = touch owned')
    first.press('q')
    await first.ended()

    // It starts with the changed file, and obeys the previous one.
    const second = await shop.console({ columns: 140 })
    const heard = () => (existsSync(join(shop.root, 'heard')) ? readFileSync(join(shop.root, 'heard'), 'utf8') : '')
    // A view covers the rows, so a new item is announced, except in the first second.
    second.press('L')
    await second.until('Logs of all agents')
    await shop.add('Break', 'sleep 2; exit 3', '--worktree', 'aside')
    await eventually(() => expect(heard()).toContain('exit code 3'))
    expect(existsSync(join(shop.root, 'owned'))).toBe(false)

    second.press('\u001b')
    await second.until('[1 Board]')
    second.press('!')
    await second.until(
      /- \.aiswarm\/config\.yaml: notify\.command = "printf [^]*\+ \.aiswarm\/config\.yaml: notify\.command = touch owned/,
    )
    await second.until('aiswarm would run the commands and apply the rules')
    second.press('y')
    await second.until('The configuration is accepted')
    expect(
      (await shop.answer<{ attention: readonly { kind: string }[] }>('status')).attention.map(({ kind }) => kind),
    ).toEqual(['failed'])
  },
)

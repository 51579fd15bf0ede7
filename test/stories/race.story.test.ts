import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { generous, openShop, programCommand } from './pty.ts'

test(
  'a race of two on 80×24: a person compares the racers by facts, and picks one with a question; nothing is merged without an approval',
  generous,
  async (context) => {
    const shop = openShop(context, { config: '' })
    const aiswarm = programCommand.map((word) => `'${word}'`).join(' ')
    const racer = join(shop.folder, 'racer.sh')
    writeFileSync(
      racer,
      `#!/bin/sh
seq "$2" > "$1.txt"
git add -A && git -c user.email=a@b -c user.name=n commit -qm "Paint it $1"
${aiswarm} task complete "$AISWARM_TASK_ID" --result '"Painted."' --met 1
`,
    )
    chmodSync(racer, 0o755)
    const kind = (colour: string, lines: number) =>
      `${colour}: {command: ${JSON.stringify([racer, colour, String(lines)])}}`
    const config = `agents: {default: red, kinds: {${kind('red', 5)}, ${kind('blue', 9)}}}\nintegration: {target: main, verify: test -f red.txt}\n`
    shop.write({ '.aiswarm/config.yaml': config })
    shop.git('add', '.aiswarm/config.yaml')
    shop.git('commit', '-qm', 'Configure')
    await shop.answer('task', 'add', 'Paint the shop', '--persona', 'implementer', '--criterion', 'It is painted')
    await shop.answer('task', 'race', '1', '--kinds', 'red,blue', '--budget', '5')

    const screen = await shop.console({ columns: 80, rows: 24 })
    await screen.until(/1 +0 +◌ blocked by 2, 3/)
    screen.press('R')
    await screen.until(/Race of task 1, running/)
    await screen.until(/\[red\] +blue/)
    await screen.until(/state +completed +completed/)
    await screen.until(/diff +\+5 −0 +\+9 −0/)
    await screen.until(/commits +1 +1/)
    // A pick before the verification says what to do.
    screen.press('y')
    await screen.until(/Picks race-1-red and completes task 1/)
    screen.press('y')
    await screen.until(/race-1-red was not verified/)
    screen.press('v')
    await screen.until(/verification +passed +failed, exit code 1/)
    screen.press('y')
    await screen.until(/Ends and archives race-1-blue/)
    screen.press('y')
    await screen.until(/Race of task 1, picked/)
    await screen.until(/state +picked +completed, archived/)
    context.expect(await shop.answer('task', 'show', '1')).toMatchObject({
      status: 'completed',
      acceptanceCriteria: [{ text: 'It is painted', met: true }],
    })
    const worktrees = await shop.answer<{ name: string; status: string; archiveRef: string | null }[]>(
      'worktree',
      'list',
    )
    const blue = worktrees.find(({ name }) => name === 'race-1-blue')!
    context.expect(blue.status).toBe('discarded')
    // Nothing is lost: the archive has the other racer's work.
    context.expect(shop.git('show', `${blue.archiveRef}:blue.txt`)).toContain('9')
    context.expect(shop.git('log', '--format=%s', 'main')).not.toContain('Paint it')
  },
)

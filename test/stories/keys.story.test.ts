import { it } from 'vitest'
import { enter, escape, generous, openShop, right, type Screen, type Shop, tab, timeless } from './pty.ts'

/** Three tasks that no agent starts. */
const threeTasks = async (shop: Shop): Promise<Screen> => {
  const screen = await shop.console()
  screen.press('p')
  await screen.until('‖ paused')
  await shop.addAll(['Bake', 'Cool', 'Slice'].map((title) => ({ title, command: 'exit 0' })))
  await screen.until(/ 3 .*Slice/)
  await screen.until(/▸ +1 .*Bake/)
  await screen.lacks('supervised')
  return screen
}

it.concurrent('keys typed in one burst have the same effect as keys typed one by one', generous, async (test) => {
  const shop = openShop(test)
  const screen = await threeTasks(shop)
  screen.press('j')
  await screen.until(/▸ +2 .*Cool/)
  screen.press('k')
  await screen.until(/▸ +1 .*Bake/)
  screen.press('i')
  await screen.until('Select a worktree, or a task or an agent that has one.')
  const slowly = timeless(screen.text())
  screen.press(escape)
  await screen.lacks('Select a worktree')
  screen.press('j')
  await screen.until(/▸ +2 .*Cool/)
  screen.press('k')
  await screen.until(/▸ +1 .*Bake/)

  screen.press('jki')
  await screen.shows('the same screen', (text) => timeless(text) === slowly)

  screen.press('j\r')
  await screen.until('[Task 2]')
  await screen.until('Cool')
  screen.press(escape)
  await screen.until('[1 Board]')
  screen.press('jj')
  await screen.until(/▸ +3 .*Slice/)
})

it.concurrent(
  'a burst of keys opens the approval view, and answers no question before a person can have read it',
  generous,
  async (test) => {
    const shop = openShop(test)
    await shop.worktree('greet')
    const screen = await shop.console()
    await shop.add('Greet', 'echo hello > greeting.txt', '--worktree', 'greet')
    await screen.until(/▸ +1 .*✓ done .*Greet/)
    screen.press('p')
    await screen.until('‖ paused')
    await shop.add('Bake', 'exit 0')
    await screen.until(/ 2 .*Bake/)

    screen.press('jkiy')
    await screen.until('[Integrate greet (feature/greet) into main]')
    await screen.until('y approve exactly these commits')
    test.expect(shop.git('log', '--format=%s', 'main')).toBe('Begin')
    screen.press(escape)
    await screen.until('[1 Board]')

    screen.press('jxy')
    await screen.until('Cancels task 2 “Bake”')
    screen.press('n')
    await screen.lacks('Cancels task 2')
    await screen.until(/▸ +2 .*○ pending .*Bake/)
  },
)

it.concurrent('a paste into a form stays text, and has no effect elsewhere', generous, async (test) => {
  const shop = openShop(test)
  const screen = await threeTasks(shop)
  screen.paste('qxy\rjj\n')
  await screen.until('Paste text into a form. n opens the form for a new task.')
  await screen.until(/▸ +1 .*Bake/)

  screen.press('n')
  await screen.until('[New task]')
  screen.paste('Wrap it\nand qxy send it')
  await screen.until(/▸Title +Wrap it and qxy send it/)
  screen.press(enter)
  await screen.until('Created task 4 “Wrap it and qxy send it”.')
  await screen.until(/ 4 .*Wrap it/)
  const [task] = await shop
    .answer<readonly { id: number; title: string }[]>('task', 'list')
    .then((tasks) => tasks.filter(({ id }) => id === 4))
  test.expect(task?.title).toBe('Wrap it and qxy send it')
})

it.concurrent('a form creates a new task, with its persona and its command', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.press('n')
  await screen.until(/\[New task\][^]*▸Title/)
  screen.press('Count to three')
  await screen.until(/▸Title +Count to three/)
  screen.press(tab)
  await screen.until('▸Description')
  screen.press(tab)
  await screen.until(/▸Persona +◂ implementer ▸/)
  screen.press('t')
  await screen.until(/▸Persona +◂ tester ▸/)
  screen.press(right)
  await screen.lacks(/▸Persona +◂ tester ▸/)
  screen.press('t')
  await screen.until(/▸Persona +◂ tester ▸/)
  screen.press(tab)
  await screen.until(/▸Worktree +◂ \(new worktree\) ▸/)
  screen.press(tab)
  await screen.until('▸Command')
  screen.press('for i in 1 2 3; do echo count $i; done')
  await screen.until('echo count $i; done')
  screen.press(enter)
  await screen.until('Created task 1 “Count to three”.')
  await screen.until(/▸ +1 .*✓ done .*tester-1 .*Count to/)
  await screen.until(/count 1[^]*count 2[^]*count 3/)
})

it.concurrent('the filter shows the tasks with the typed words', generous, async (test) => {
  const shop = openShop(test)
  const screen = await threeTasks(shop)
  screen.press('/')
  await screen.until('enter keep, esc clear')
  screen.press('sl')
  await screen.until(/▸ +3 .*Slice/)
  await screen.lacks('Bake')
  screen.press(enter)
  await screen.until(/1 Board.* \/sl /)
  screen.press(enter)
  await screen.until('[Task 3]')
  screen.press(escape)
  await screen.until('[1 Board]')
  screen.press(escape)
  await screen.until(/ 1 .*Bake/)
})

it.concurrent('the palette finds a command by its name and runs it', generous, async (test) => {
  const shop = openShop(test)
  const screen = await threeTasks(shop)
  screen.press(':')
  await screen.until('[Commands]')
  screen.press('worktrees')
  await screen.until(/▸ 4 +worktrees · Focus the worktrees/)
  screen.press(enter)
  await screen.until('[4 Worktrees]')
  screen.press(':')
  await screen.until('[Commands]')
  screen.press('no such thing')
  await screen.until('no match')
  screen.press(escape)
  await screen.until('[4 Worktrees]')
})

it.concurrent('the help shows what every key does', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  screen.press('?')
  await screen.until('[Keys]')
  await screen.until(/ s +Start an agent for the task/)
  await screen.until(/ x +Cancel the task or terminate the agent \(asks first\)/)
  screen.press('G')
  await screen.until(/^.* Form\b/m)
  screen.press(escape)
  await screen.until('[1 Board]')
})

it.concurrent('w moves from one inbox item to the next', generous, async (test) => {
  const shop = openShop(test, { config: 'session: {maxRetries: 0}\n' })
  await shop.worktree('greet')
  const screen = await shop.console()
  await shop.addAll([
    { title: 'Fine', command: 'exit 0' },
    { title: 'Broken', command: "echo 'it broke' >&2; exit 1" },
    { title: 'Greet', command: 'echo hello > greeting.txt', targetWorktree: 'greet' },
  ])
  await screen.until(/ 3 .*✓ done .*Greet/)
  await screen.until(/⚑ +2 .*✗ failed .*Broken/)
  await screen.until('⚑ 1 needs you')
  await screen.until(/▸ +1 .*Fine/)
  await shop.answer('worktree', 'request', 'greet')
  await screen.until('⚑ 2 need you')

  screen.press('w')
  await screen.until(/▸⚑ +2 .*Broken|\[4 Worktrees\]/)
  const first = screen.text().includes('[4 Worktrees]') ? 'worktree' : 'task'
  screen.press('w')
  await screen.until(first === 'task' ? /\[4 Worktrees\][^]*▸greet/ : /\[1 Board\][^]*▸⚑ +2 .*Broken/)
  screen.press('w')
  await screen.until(first === 'task' ? /\[1 Board\][^]*▸⚑ +2 .*Broken/ : /\[4 Worktrees\][^]*▸greet/)
})

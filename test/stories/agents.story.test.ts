import { it } from 'vitest'
import { identify } from '../../src/effects/processes/identity.ts'
import { enter, escape, generous, openShop, type Screen } from './pty.ts'

/** A command that prints its number and runs until it is ended. */
const endless = `node -e 'console.log("worker", process.pid); setInterval(() => {}, 1000)'`

/** A zombie has ended, although `kill 0` still finds it until its parent asks for its status. */
const isAlive = (pid: string): boolean => identify(Number(pid)) !== undefined

/** No task starts by itself any more. */
const pause = async (screen: Screen): Promise<void> => {
  screen.press('p')
  await screen.until('‖ paused')
}

it.concurrent('a task starts while scheduling is paused if a person starts it', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await pause(screen)
  await shop.add('Greet', "echo 'hello from the agent'")
  await shop.add('Wave', "echo 'never said'")
  await screen.until(/▸ +1 .*○ pending .*Greet/)

  screen.press('s')
  await screen.until('Starting implementer-1 (command) on task 1.')
  await screen.until(/▸ +1 .*✓ done .*Greet/)
  await screen.until('3 Log  task 1 implementer-1')
  await screen.until('hello from the agent')
  await screen.until(/ 2 .*○ pending .*Wave/)

  screen.press('p')
  await screen.until('Scheduling is resumed.')
  await screen.until(/ 2 .*✓ done .*Wave/)
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

/** Fails until a file is in the repository. */
const needy = "[ -e part ] || { echo 'the part is missing' >&2; exit 3; }; echo 'the part fits'"

it.concurrent(
  'a failed task shows its reason, waits for its retry, and is retried at once by a key',
  generous,
  async (test) => {
    const shop = openShop(test)
    const screen = await shop.console()
    await shop.add('Fit the part', needy)
    await screen.until(/▸⚑? *1 .*◔ retries in +\d+s .*Fit the part/)
    screen.press(enter)
    await screen.until(/Error[^]*the part is missing/)
    await screen.until(/Attempts[^]*1\. implementer-1 .* failed[^]*the part is missing/)
    screen.press(escape)
    await screen.until('[1 Board]')

    shop.write({ part: 'a part\n' })
    screen.press('r')
    await screen.until('Task 1 is pending again.')
    await screen.until(/▸ +1 .*✓ done .*Fit the part/)
    await screen.until('the part fits')
  },
)

it.concurrent('a task that failed for good waits for a person, who retries it', generous, async (test) => {
  const shop = openShop(test, { config: 'session: {maxRetries: 0}\n' })
  const screen = await shop.console()
  await shop.add('Fit the part', needy)
  await screen.until(/▸⚑ +1 .*✗ failed .*Fit the part/)
  await screen.until('⚑ 1 needs you')
  screen.press('w')
  await screen.until(/ · .*the part is missing/)
  shop.write({ part: 'a part\n' })
  screen.press('r')
  await screen.until(/▸ +1 .*✓ done .*Fit the part/)
  await screen.lacks('1 needs you')
})

it.concurrent('a task is cancelled only after a confirmation, and then its process is gone', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await shop.add('Work forever', endless)
  const [, worker = ''] = await screen.until(/worker (\d+)/)
  await screen.until(/▸ +1 .*[●\u2800-\u28ff] working/)

  screen.press('x')
  const [, agent = ''] = await screen.until(
    /Cancels task 1 “Work forever” and stops the process of implementer-1 \(pid (\d+)\)/,
  )
  screen.press('n')
  await screen.lacks('Cancels task 1')
  await screen.until(/▸ +1 .*● working/)
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([true, true])

  screen.press('x')
  await screen.until('Cancels task 1')
  screen.press('y')
  await screen.until('Task 1 is cancelled.')
  await screen.until(/▸ +1 .*– cancelled/)
  await screen.until(/· implementer-1 .* ended/)
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([false, false])
})

it.concurrent('an agent is terminated only after a confirmation, and its task is released', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await shop.add('Work forever', endless)
  const [, worker = ''] = await screen.until(/worker (\d+)/)
  await pause(screen)
  screen.press('2')
  await screen.until('[2 Agents]')
  await screen.until(/▸● implementer-1/)

  screen.press('x')
  const [, agent = ''] = await screen.until(/Terminates implementer-1 \(pid (\d+)\) and makes task 1 pending again/)
  screen.press('n')
  await screen.lacks('Terminates')
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([true, true])

  screen.press('x')
  await screen.until('Terminates')
  screen.press('y')
  await screen.until(/· implementer-1 .* ended/)
  await screen.until(/ 1 .*○ pending .*Work forever/)
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([false, false])
})

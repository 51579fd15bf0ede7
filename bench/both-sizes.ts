import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BoardSize, bothSizes } from './board.ts'
import { program, repositoryOf } from './repository.ts'
import { openScreen, type Screen } from './screen.ts'

/** A console on a board of one of the sizes. */
export interface Sized {
  readonly size: BoardSize
  readonly name: string
  readonly root: string
  readonly screen: Screen
}

/** Opens a console on a board of each size at the same time, so that alternating measurements meet the same machine. */
export const withBothSizes = async <T>(
  use: (consoles: readonly Sized[]) => Promise<T>,
  sizes: readonly BoardSize[] = bothSizes,
): Promise<T> => {
  const consoles: Sized[] = []
  try {
    for (const size of sizes) {
      const root = await repositoryOf(size)
      const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
      consoles.push({ size, name: `${size.tasks.toLocaleString('en')} tasks`, root, screen })
      await screen.until((text) => text.includes('Task number'))
    }
    // The startup of a console is over.
    await sleep(1500)
    return await use(consoles)
  } finally {
    for (const { screen } of consoles) await screen.end()
  }
}

/** The processor time of a process in milliseconds; Linux only. */
export const processorTime = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

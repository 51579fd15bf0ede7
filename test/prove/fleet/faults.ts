import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetMachine, Running } from '../../fleet/machine.ts'
import type { Lab } from '../../fleet/lab.ts'
import { agentsOf, endProcess } from '../../support/processes.ts'

const HOUR = 3_600_000
const GIGABYTE = 2 ** 30

type Random = (below: number) => number

/** A host under test, with its present worker and writer. */
export interface Victim {
  readonly machine: FleetMachine
  worker: Running
  writer: Running
  readonly restart: () => void
  /** Sets the wall clock of its worker ahead by so much (ms). */
  readonly setClock: (ahead: number) => void
  readonly restartWriter: () => void
  readonly sentinel: () => Promise<void>
}

export interface Scene {
  readonly lab: Lab
  readonly victims: readonly Victim[]
  readonly random: Random
  readonly say: (words: string) => void
}

type Fault = (scene: Scene, victim: Victim) => Promise<void>

const between = (random: Random, least: number, most: number): number => least + random(most - least)

/** A time (ms) that is short in three of four cases: a network fails for a moment more often than for long. */
const mostlyShort = (random: Random, least: number, most: number): number =>
  between(random, least, random(4) === 0 ? most : least + (most - least) / 6)

const cutFor = async ({ machine }: Victim, ms: number): Promise<void> => {
  machine.net!.link(false)
  await sleep(ms)
  machine.net!.link(true)
}

/** Kills a program; one that has just been started gets no signal yet. */
const kill = async (running: Running): Promise<void> => {
  let isOver = false
  void running.ended.then(() => (isOver = true))
  for (; !isOver; await sleep(20)) running.signal('SIGKILL')
}

/** The faults, and how often of a hundred each is chosen. */
export const faults: Readonly<Record<string, readonly [number, Fault]>> = {
  'worker killed': [
    14,
    async ({ random }, victim) => {
      await kill(victim.worker)
      await sleep(between(random, 0, 3000))
      victim.restart()
    },
  ],
  'agent killed': [
    18,
    ({ random }, { machine }) => {
      const pids = agentsOf(machine.root)
      if (pids.length > 0) endProcess(pids[random(pids.length)]!)
      return Promise.resolve()
    },
  ],
  'program of a person killed': [
    8,
    async (_scene, victim) => {
      await kill(victim.writer)
      victim.restartWriter()
    },
  ],
  'worker stopped': [
    12,
    async ({ random }, { worker }) => {
      worker.signal('SIGSTOP')
      await sleep(mostlyShort(random, 500, 15_000))
      worker.signal('SIGCONT')
    },
  ],
  'host cut off': [14, async ({ random }, victim) => cutFor(victim, mostlyShort(random, 300, 14_000))],
  'packets lost in bursts': [
    10,
    async ({ random }, victim) => {
      for (let burst = 0; burst < 6; burst++) {
        await cutFor(victim, between(random, 50, 400))
        await sleep(between(random, 50, 400))
      }
    },
  ],
  'host switched off': [
    8,
    async ({ random }, victim) => {
      await victim.machine.off()
      await sleep(mostlyShort(random, 500, 12_000))
      await victim.machine.on()
      await victim.sentinel()
      victim.restart()
      victim.restartWriter()
    },
  ],
  'PostgreSQL restarted': [
    4,
    async ({ lab, random }) => {
      lab.cluster.stop('immediate')
      await sleep(between(random, 0, 3000))
      lab.cluster.start()
    },
  ],
  // Longer than a write waits for the server, and shorter than twice that: one is refused, and the next one is not.
  'PostgreSQL away': [
    2,
    async ({ lab, random }) => {
      lab.cluster.stop('immediate')
      await sleep(between(random, 8000, 25_000))
      lab.cluster.start()
    },
  ],
  'clock of a host set': [
    4,
    ({ random }, victim) => {
      victim.setClock([-HOUR, 0, HOUR][random(3)]!)
      return Promise.resolve()
    },
  ],
  'disk full': [
    4,
    async ({ random }, { machine }) => {
      const folder = dirname(machine.root)
      const { bsize, blocks } = statfsSync(folder)
      if (blocks * bsize > GIGABYTE) throw new Error(`${folder} is no disk of its own`)
      const ballast = join(folder, 'ballast')
      // It ends when the disk is full; the others write too, so how much is free is not known.
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M'], { stdio: 'ignore' })
      await sleep(between(random, 300, 6000))
      rmSync(ballast)
    },
  ],
  'remote silent': [
    3,
    async ({ lab, random }) => {
      lab.remote.stop(true)
      await sleep(mostlyShort(random, 500, 15_000))
      lab.remote.stop(false)
    },
  ],
  'remote refuses': [
    5,
    async ({ lab, random }) => {
      lab.remote.refuse(true)
      await sleep(between(random, 1000, 8000))
      lab.remote.refuse(false)
    },
  ],
  'declared lost while cut off': [
    5,
    async ({ lab, random, say, victims }, victim) => {
      if (victim === victims[0]) return
      victim.machine.net!.link(false)
      await sleep(between(random, 500, 3000))
      await lab.machines['laptop']!.run(['host', 'lost', victim.machine.name, '--yes']).catch((error: unknown) =>
        say(String(error)),
      )
      await sleep(between(random, 500, 5000))
      victim.machine.net!.link(true)
    },
  ],
}

/**
 * How long faults follow each other, and how long nothing fails then, so that work is also finished and merged (ms). At
 * night, which is to see 50,000 writes and some hundred faults, it is longer.
 */
const STORM = 20_000
const CALM = process.env['PROVE'] === 'night' ? 70_000 : 20_000

/** One after the other on each host, until the time is over; returns how often each happened. */
export const harass = async (scene: Scene, until: number): Promise<Record<string, number>> => {
  const counts: Record<string, number> = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]))
  const table = Object.entries(faults).flatMap(([name, [weight]]) => Array.from({ length: weight }, () => name))
  const began = performance.now()
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      if ((performance.now() - began) % (STORM + CALM) > STORM) {
        await sleep(100)
        continue
      }
      const victim = scene.victims[scene.random(scene.victims.length)]!
      // One fault at a time on each host, so that each ends as it should.
      if (busy.has(victim)) {
        await sleep(50)
        continue
      }
      const name = table[scene.random(table.length)]!
      const server = /^(?:PostgreSQL|remote)/.exec(name)?.[0]
      if (server !== undefined && busy.has(server)) continue
      const taken = server ?? victim
      busy.add(taken)
      counts[name]!++
      scene.say(`${name}${server === undefined ? ` ${victim.machine.name}` : ''}`)
      try {
        await faults[name]![1](scene, victim)
      } finally {
        busy.delete(taken)
      }
      await sleep(between(scene.random, 50, 600))
    }
  }
  const busy = new Set<unknown>()
  await Promise.all([one(), one(), one()])
  return counts
}

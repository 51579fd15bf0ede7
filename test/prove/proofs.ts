import { agents } from './agents.ts'
import { claims } from './claims.ts'
import { clock, every, kills, long, stores } from './suites.ts'
import { corruption } from './corruption.ts'
import { failover, faults, integrators, leader, questions, silence, unattended } from './hosts.ts'
import { syscalls } from './syscalls.ts'
import { mutants } from './mutants.ts'
import { power } from './power.ts'
import type { Proof } from './proof.ts'
import { repositories } from './repositories.ts'
import { stops } from './stops.ts'
import { zoo } from './zoo.ts'

/**
 * Every proof, in the order in which `npm run prove` starts them, the longest first. A new one is a row
 * here, and a file of its own, or a row of `suites.ts`, or, on several hosts, of `hosts.ts`.
 */
export const proofs: readonly Proof[] = [
  kills,
  mutants,
  stops,
  faults,
  unattended,
  silence,
  integrators,
  leader,
  failover,
  questions,
  claims,
  agents,
  every,
  long,
  stores,
  syscalls,
  zoo,
  repositories,
  power,
  corruption,
  clock,
]

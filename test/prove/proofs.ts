import { agents } from './agents.ts'
import { claims } from './claims.ts'
import { clock } from './clock.ts'
import { corruption } from './corruption.ts'
import { every } from './every.ts'
import { faults } from './faults.ts'
import { failover, integrators, leader, questions, silence, unattended } from './hosts.ts'
import { kills } from './kills.ts'
import { long } from './long.ts'
import { syscalls } from './syscalls.ts'
import { mutants } from './mutants.ts'
import { power } from './power.ts'
import type { Proof } from './proof.ts'
import { repositories } from './repositories.ts'
import { stores } from './stores.ts'
import { stops } from './stops.ts'
import { zoo } from './zoo.ts'

/**
 * Every proof, in the order in which `npm run prove` starts them, the longest first. A new one is a row
 * here, and a file of its own, or, on several hosts, a row of `hosts.ts`.
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

import { Refusal } from './refusal.ts'

/** How much one board, and one server, is made for. Beyond it the program refuses rather than becoming slow. */
export const mostOf = {
  /** Hosts of a board that have not left. */
  hosts: 50,
  /** Agents of a board that have not ended. */
  agents: 1000,
  /** Tasks that a board has ever had. */
  tasks: 200_000,
  /** Boards in one database. */
  boards: 20,
  /** Open consoles of a board on a server. */
  consoles: 30,
} as const

/** Refuses what would be more than `most`; `then` says what to do. */
export const refuseBeyond = (count: number, most: number, noun: string, then: string): void => {
  if (count >= most) throw beyond(count, most, noun, then)
}

export const beyond = (count: number, most: number, noun: string, then: string): Refusal =>
  new Refusal('blocked', `There are ${count} ${noun}, and aiswarm is made for ${most}. ${then}`)

import { z } from 'zod'

// Parts of inputs that several operations share.

export const taskId = z.int().min(1).describe('Number of the task')
export const agentId = z.string().min(1).max(50).describe('Id of the agent')
export const worktreeName = z.string().min(1).max(400).describe('Name of the worktree')
export const personaId = z.string().min(1).max(50).describe('Persona: planner, implementer, reviewer, tester or one of your own')
export const text = (maximum: number) => z.string().max(maximum)
/** Any JSON value. */
export const json = z.json()

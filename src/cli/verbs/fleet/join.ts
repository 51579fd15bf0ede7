import { isRefusal, Refusal } from '../../../domain/rules/refusal.ts'
import type { Call } from '../../call/command.ts'

/** Refuses outside of a clone, before a person is asked for a code and a password. */
export const refuseOutsideOfClone = async ({ services, root }: Call): Promise<void> => {
  try {
    await services.repositoryRoot(root)
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'not_a_repository') throw error
    throw new Refusal(
      error.code,
      `A host is a clone of the board's repository, and ${root} is in none. Run 'git clone URL', and join in the folder that it makes.`,
      { cause: error },
    )
  }
}

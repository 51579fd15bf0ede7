import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { isRefusal } from '../../domain/rules/refusal.ts'

/** Outside of tools a refusal is a protocol error. */
export const asErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new McpError(error.code === 'not_found' ? -32002 : ErrorCode.InvalidRequest, error.message, {
      code: error.code,
    })
  }
}

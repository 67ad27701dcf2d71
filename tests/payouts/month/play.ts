/** A merchant whose commands are given to the product and to the model. */
import { commandsOf } from './commands.ts'
import { openBooks } from './merchant.ts'
import { runsOf } from './runs.ts'
import type { World } from './world.ts'

export const openMerchant = async (world: World) => {
  const books = await openBooks(world)
  return { ...books, ...commandsOf(books), ...runsOf(books) }
}
export type Merchant = Awaited<ReturnType<typeof openMerchant>>

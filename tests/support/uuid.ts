/** Stands in for `uuid` in lib/db/ids.ts, so that a test can replace `uuid.v7`. */
import { v7 as ownV7 } from 'uuid'

export const uuid = { v7: (): string => ownV7() }

export const v7 = (): string => uuid.v7()

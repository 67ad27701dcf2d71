/**
 * What is read from the API of another platform, in the same form for all of them: the rows that
 * `GET /import-sources/{id}/rows` returns.
 */
import type { PlatformState } from '../commissions/platform-commissions.ts'
import type { SourceRowsResponse } from './sources.responses.ts'

type Listed = SourceRowsResponse['data'][number]
type RowOf<Kind extends Listed['kind']> = Extract<Listed, { kind: Kind }>

export type SourcePartner = RowOf<'partner'>
export type SourceCoupon = RowOf<'coupon'>
export type SourceCustomer = RowOf<'customer'>
export type SourceReward = RowOf<'reward'>

/** A commission in any state. Only those that the platform still owes are listed. */
export type SourceCommission = Omit<RowOf<'commission'>, 'state'> & { state: PlatformState }

export type LeftOutReason = RowOf<'left_out'>['reason']

export type SourceRow = Exclude<Listed, { kind: 'commission' }> | SourceCommission

/**
 * @property next where the list continues; null after the last page
 * @property total how many rows the list has, if the platform says so
 */
export type SourcePage = { rows: SourceRow[]; next: string | null; total: number | null }

export type SourceLink = SourcePartner['links'][number]
export type Balance = SourcePartner['balances'][number]

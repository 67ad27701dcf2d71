/** What the tables of events, commissions and customers share. */

import * as m from '../../languages/messages.ts'
import { type Shown, shown, t } from '../layout/text.ts'

type StatusProps = { status: string; label?: Shown | undefined }

/** A status badge. @param label the text, by default the status itself */
export const Status = ({ status, label = status }: StatusProps) => (
  <span class="status" data-status={status}>
    {shown(label)}
  </span>
)

type PartnerNameProps = {
  base: string
  id: string
  name: string | null
  slug: string
  /** Whether it is a test partner, which is never paid. */
  isTest?: boolean | null
}

/** A partner's name or slug, linked to its page. @param base the workspace's path */
export const PartnerName = ({ base, id, name, slug, isTest = false }: PartnerNameProps) => (
  <>
    <a href={`${base}/partners/${id}`}>{name ?? slug}</a>
    {isTest && <span class="status">{t(m.layout_test_mode)}</span>}
  </>
)

type OfPartner = {
  partnerId: string | null
  partnerName: string | null
  partnerSlug: string | null
  partnerIsTest?: boolean | null
}

type PartnerOfProps = { base: string; row: OfPartner; none?: string }

/** The partner of a row, if it has one. @param none the content without a partner */
export const PartnerOf = ({
  base,
  row: { partnerId: id, partnerName: name, partnerSlug: slug, partnerIsTest: isTest = false },
  none = '',
}: PartnerOfProps) =>
  id && slug ? <PartnerName base={base} id={id} name={name} slug={slug} isTest={isTest} /> : none

/** The heading of the partner column, which a partner's own page omits. */
export const partnerHead = (ofOne: boolean | undefined): string[] => (ofOne ? [] : [t(m.partner)])

/** The workspace's path, and whether all rows belong to one partner. */
export type TableContext = { base: string; ofOne?: boolean }

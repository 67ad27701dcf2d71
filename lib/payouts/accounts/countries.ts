/**
 * The countries (ISO 3166) in which Stripe pays out to connected accounts. Only merchants in the
 * United States can pay to most of them: Stripe refuses the others when the account is created.
 */
export const PAYOUT_COUNTRIES: readonly string[] = `
  AE AG AL AM AO AR AT AU AZ BA BD BE BG BH BJ BN BO BS BT BW CA CH CI CL CO CR CY CZ DE DK DO DZ EC EE EG ES ET FI FR
  GA GB GH GI GM GR GT GY HK HR HU ID IE IL IN IS IT JM JO JP KE KH KR KW KZ LA LC LI LK LT LU LV MA MC MD MG MK MN MO
  MT MU MX MY MZ NA NE NG NL NO NZ OM PA PE PH PK PL PT PY QA RO RS RW SA SE SG SI SK SM SN SV TH TN TR TT TW TZ US UY
  UZ VN ZA`
  .trim()
  .split(/\s+/)

-- The existing row of an imported row: names as they are compared, and changes by others meanwhile.

-- Returns text as names are compared: without case, accents and blanks, the same in every locale. Two indexes
-- below hold its results. So it never changes: another rule is another function, with indexes of its own.
create or replace function folded(p_text text) returns text language sql immutable parallel safe
return case
  when octet_length(p_text) = char_length(p_text) then lower(replace(p_text, ' ', '') collate "C")
  else replace(replace(replace(replace(translate(
    lower(regexp_replace(normalize(p_text, NFKD), '[\s\u00a0\u00ad\u0300-\u036f\u200b-\u200f\u3000\ufeff]', '', 'g') collate "C"),
    'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖØøĐđÐðŁłĦħıÆŒÞẞ',
    'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆooddddllhhiæœþß'),
    'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ß', 'ss')
end;

-- Returns the name by which people, or companies, are namesakes.
create or replace function folded_name(p_first text, p_last text default null)
returns text language sql immutable parallel safe
return folded(coalesce(p_first, '') || coalesce(p_last, ''));

create index if not exists people_name on people (folded_name(first_name, last_name));
create index if not exists companies_name on companies (folded_name(name));

-- Returns what tells one round from another, as far as a row without a key says: company, type, event, date.
create or replace function round_name(p_company uuid, p_type text, p_event text, p_announced timestamptz)
returns text language sql stable
return jsonb_build_array(p_company, folded(p_type), folded(p_event), extract(epoch from p_announced))::text;

-- Returns whether anyone changed a record by which rows were identified: one of `names` or `ids`, of `kind`,
-- since the change log was at `position`. It is called under the change log's lock, and it is volatile, so that
-- it sees what was committed while its statement waited for that lock.
create or replace function import_outdated(p_seen jsonb) returns boolean language plpgsql strict as $$
begin
  return exists (
    select from change_log l
      left join people p on l.kind = 'person' and p.id = l.id
      left join companies c on l.kind = 'company' and c.id = l.id
      left join funding_rounds r on l.kind = 'round' and r.id = l.id
     where l.sequence > (p_seen->>'position')::bigint
       and (l.kind = 'rebuild' or l.kind = p_seen->>'kind' and (
             p_seen->'ids' ? l.id::text
             or p_seen->'names' ? case l.kind
               when 'person' then folded_name(p.first_name, p.last_name)
               when 'company' then folded_name(c.name)
               else round_name(r.company_id, r.round_type, r.round_event_name, r.announce_date) end)));
end $$;

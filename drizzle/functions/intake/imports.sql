-- Import jobs: files that operators gave, and how far each is. Whoever works on a job says so every second or two (`beat_at`); one that
-- nobody has heard of for half a minute has stopped, whatever its row says; so has one that was heard of in the future, by a clock
-- that ran ahead.
--
--   import_job_state     the state as it is now
--   import_job_add       a new job, whose file follows piece by piece: import_job_append, import_job_uploaded
--   import_job_set, import_job_correct   what its columns mean, and what a cell should say
--   import_job_ask       asks for a check, the import or its undo; import_job_claim: a process takes it; import_job_beat: it is at work;
--                        import_job_end: it is done, or has stopped; import_job_undo: an undo, and its end
--   import_job_cancel, import_job_delete, import_jobs_clean
--   import_findings_forget   takes out what checks and imports found of single people: an erasure does it (`erasures.sql`);
--                            import_findings_forget_erased: of what was under way at an erasure, it is done at the end

-- The state as pages and commands say it.
create or replace function import_job_state(p_job import_jobs) returns text language sql stable as $$
  select case
    -- The journal knows best: the change may have been taken back, or that again, by its number. It forgets after 30 days.
    when p_job.state in ('ended', 'stopped', 'undoing')
     and coalesce((select undone_by is not null from journal where change = p_job.change), p_job.undone_at is not null) then 'undone'
    when p_job.state in ('checking', 'importing', 'undoing') and abs(extract(epoch from meter_now() - p_job.beat_at)) > 30 then 'stopped'
    else p_job.state end
$$;

-- Whether a process works on a job, or was asked to.
create or replace function import_job_is_at_work(p_job import_jobs) returns boolean language sql stable as $$
  select import_job_state(p_job) in ('checking', 'importing', 'undoing')
$$;

-- Forgets a job's file: its bytes, what was corrected in it and what its columns were said to mean.
create or replace function import_job_forget(p_job uuid) returns void language plpgsql as $$
begin
  delete from import_job_chunks where job_id = p_job;
  delete from import_job_corrections where job_id = p_job;
  update import_jobs set has_file = false, settings = '{}' where id = p_job;
end $$;

-- Takes out what checks and imports of people's files found row by row, and what quotes a record: whose row one is, spelled as it may
-- be, nobody can tell. An open job has to be checked again then. Of the job `p_job`, or of all.
create or replace function import_findings_forget(p_job uuid default null) returns void language plpgsql as $$
begin
  delete from import_job_findings f using import_jobs j
    where j.id = f.job_id and j.kind = 'people' and j.id = coalesce(p_job, j.id);
  update import_jobs
     set preview = import_summary_forget(preview), result = import_summary_forget(result), preview_version = null
   where kind = 'people' and id = coalesce(p_job, id) and (preview is not null or result is not null);
end $$;

-- A summary without the values of single records, and with reasons in the words that such ones share.
create or replace function import_summary_forget(p_summary jsonb) returns jsonb language sql immutable as $$
  select p_summary - 'differences' || jsonb_build_object('reasons', coalesce((
           select jsonb_agg(case when one ? 'alike' then one || jsonb_build_object('reason', one->'alike') else one end order by n)
             from jsonb_array_elements(p_summary->'reasons') with ordinality r (one, n)), '[]'))
$$;

-- Does so for jobs that nobody works on any more and that were under way when somebody was erased: rows may have been read before, and
-- named after. Of the job `p_job`, or of all.
create or replace function import_findings_forget_erased(p_job uuid default null) returns void language plpgsql as $$
begin
  perform import_findings_forget(j.id) from import_jobs j
    where j.id = coalesce(p_job, j.id) and j.kind = 'people' and not import_job_is_at_work(j)
      and j.begun_at <= (select max(at) from erasures)
      and (j.preview_version is not null or j.result is distinct from import_summary_forget(j.result)
        or exists (select from import_job_findings f where f.job_id = j.id));
end $$;

-- Deletes uploads that broke off, what a process that was killed had found of people who were erased, and what is left of files after
-- 7 days.
create or replace function import_jobs_clean() returns void language plpgsql as $$
begin
  delete from import_jobs where state = 'uploading' and beat_at < meter_now() - interval '10 minutes';
  perform import_findings_forget_erased();
  perform import_job_forget(j.id) from import_jobs j
    where j.has_file and j.added_at < meter_now() - interval '7 days' and not import_job_is_at_work(j);
  delete from import_job_findings f using import_jobs j
    where f.job_id = j.id and not j.has_file and j.added_at < meter_now() - interval '7 days';
end $$;

-- A new job of `p_by`. Of more than `p_most` jobs the oldest without a file go.
create or replace function import_job_add(p_kind text, p_file text, p_format text, p_by jsonb, p_most integer) returns uuid
language plpgsql as $$
declare
  v_id uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('import jobs', 0));
  perform import_jobs_clean();
  delete from import_jobs where id in (
    select id from import_jobs where not has_file order by added_at desc offset greatest(p_most - 1 - (
      select count(*)::integer from import_jobs where has_file), 0));
  if (select count(*) from import_jobs) >= p_most then
    perform refuse_change(format('%s files wait to be imported: import or delete some first', p_most));
  end if;
  insert into import_jobs (kind, file, format, added_by, added_at, beat_at)
  values (p_kind, p_file, p_format, p_by, meter_now(), meter_now()) returning id into v_id;
  return v_id;
end $$;

-- Adds a piece to a job's file, which may have `p_most` bytes, all files together `p_most_together`. Returns how many it has now.
create or replace function import_job_append(p_job uuid, p_bytes bytea, p_most bigint, p_most_together bigint) returns bigint
language plpgsql as $$
declare
  v_bytes bigint;
begin
  update import_jobs set bytes = bytes + octet_length(p_bytes), beat_at = meter_now()
   where id = p_job and state = 'uploading' returning bytes into v_bytes;
  if v_bytes is null then
    perform refuse_change('this upload was cancelled, or waited for too long: give the file again');
  elsif v_bytes > p_most then
    perform refuse_change(format('the file is larger than %s MB: pack it by gzip, or split it', p_most / 1048576));
  elsif (select sum(bytes) from import_jobs where has_file) > p_most_together then
    perform refuse_change(format('the files that wait have more than %s MB together: import or delete some first', p_most_together / 1048576));
  end if;
  insert into import_job_chunks (job_id, place, bytes)
  select p_job, coalesce(max(place) + 1, 0), p_bytes from import_job_chunks where job_id = p_job;
  return v_bytes;
end $$;

-- The file is whole. Null where no such upload is under way.
create or replace function import_job_uploaded(p_job uuid) returns boolean language plpgsql as $$
declare
  v_bytes bigint;
begin
  update import_jobs set state = 'waiting', beat_at = meter_now() where id = p_job and state = 'uploading' returning bytes into v_bytes;
  if v_bytes = 0 then
    perform refuse_change('the file is empty');
  end if;
  return nullif(found, false);
end $$;

-- Locks a job that nobody works on, or ends with who does.
create or replace function import_job_idle(p_job uuid) returns import_jobs language plpgsql as $$
declare
  v_job import_jobs;
begin
  select * into v_job from import_jobs where id = p_job for update;
  if v_job.id is null then
    perform refuse_change('there is no such import: it may have been deleted');
  elsif import_job_is_at_work(v_job) then
    perform refuse_change(case v_job.state when 'checking' then 'it is being checked: wait for the end, or cancel it'
                          when 'importing' then 'it is being imported: wait for the end, or cancel it'
                          else 'it is being undone: wait for the end' end);
  elsif v_job.state in ('checking', 'importing', 'undoing') then
    -- Whoever was at work finds out when they say again that they are.
    update import_jobs set state = 'stopped', worker = null where id = p_job returning * into v_job;
  end if;
  return v_job;
end $$;

-- Locks a job whose file may be read or said more of, or ends with why it may not.
create or replace function import_job_open(p_job uuid) returns import_jobs language plpgsql as $$
declare
  v_job import_jobs := import_job_idle(p_job);
begin
  if v_job.state = 'uploading' then
    perform refuse_change('its file is still on its way');
  elsif not v_job.has_file then
    perform refuse_change(case import_job_state(v_job) when 'ended' then 'it was imported, and its file is gone: give the file again'
                          else 'its file is gone, as files are kept for 7 days: give it again' end);
  end if;
  return v_job;
end $$;

-- Locks a job whose changes can be taken back, or ends with why they can't.
create or replace function import_job_undoable(p_job uuid) returns import_jobs language plpgsql as $$
declare
  v_job import_jobs := import_job_idle(p_job);
begin
  if import_job_state(v_job) = 'undone' then
    perform refuse_change('it was undone already');
  elsif not exists (select from journal where change = v_job.change) then
    perform refuse_change('it changed nothing, or more than 30 days ago');
  end if;
  return v_job;
end $$;

-- Says what a job's columns mean. It has to be checked again then.
create or replace function import_job_set(p_job uuid, p_settings jsonb) returns boolean language plpgsql as $$
begin
  perform import_job_open(p_job);
  update import_jobs set settings = p_settings, version = version + 1, state = 'waiting' where id = p_job;
  return true;
end $$;

-- Says what a cell should have said; null takes that back. At most `p_most` cells of a job.
create or replace function import_job_correct(p_job uuid, p_row integer, p_field text, p_value text, p_most integer) returns boolean
language plpgsql as $$
begin
  perform import_job_open(p_job);
  if p_value is null then
    delete from import_job_corrections where job_id = p_job and row = p_row and field = p_field;
  else
    insert into import_job_corrections (job_id, row, field, value) values (p_job, p_row, p_field, p_value)
    on conflict (job_id, row, field) do update set value = excluded.value;
  end if;
  if (select count(*) from import_job_corrections where job_id = p_job) > p_most then
    perform refuse_change(format('%s cells are corrected already: correct the others in the file, and give it again', p_most));
  end if;
  update import_jobs set version = version + 1 where id = p_job;
  return true;
end $$;

-- Asks for a check, the import or its undo in the name of `p_by`. One job is at work at a time. All runs of a job are one change of the
-- journal, to be undone together.
create or replace function import_job_ask(p_job uuid, p_work text, p_by jsonb) returns boolean language plpgsql as $$
declare
  v_other text;
begin
  perform pg_advisory_xact_lock(hashtextextended('import jobs', 0));
  if p_work = 'undo' then
    perform import_job_undoable(p_job);
  else
    perform import_job_open(p_job);
  end if;
  select j.file into v_other from import_jobs j where j.id <> p_job and import_job_is_at_work(j) limit 1;
  if v_other is not null then
    perform refuse_change(format('another import is at work (%s): wait for its end, or cancel it', v_other));
  end if;
  -- By the beginning of its last work, which is lost here.
  perform import_findings_forget_erased(p_job);
  update import_jobs j
     set state = case p_work when 'check' then 'checking' when 'import' then 'importing' else 'undoing' end, work = p_work,
         reason = null, worker = null, is_cancelled = false, progress = null, begun_at = meter_now(), beat_at = meter_now(),
         -- An undo leaves the import's own end; `undone_at` has the time of the undo.
         ended_at = case p_work when 'undo' then ended_at end,
         run_by = case p_work when 'import' then p_by else run_by end,
         undo_by = case p_work when 'undo' then p_by else undo_by end,
         change = case p_work
           when 'import' then coalesce((select l.change from journal l where l.change = j.change and l.undone_by is null),
                                       nextval('journal_change_seq'))
           else change end
   where id = p_job;
  return true;
end $$;

-- A process takes the work that was asked for. Null where there is none, or another one has it.
create or replace function import_job_claim(p_job uuid, p_worker uuid) returns text language sql as $$
  update import_jobs j set worker = p_worker, beat_at = meter_now()
   where id = p_job and import_job_is_at_work(j) and worker is null and not is_cancelled
  returning work
$$;

-- A process is still at work. Whether it goes on: not where it was cancelled, or where another one has taken its place.
create or replace function import_job_beat(p_job uuid, p_worker uuid, p_progress jsonb) returns boolean language sql as $$
  update import_jobs set beat_at = meter_now(), progress = coalesce(p_progress, progress)
   where id = p_job and worker = p_worker and state in ('checking', 'importing', 'undoing')
  returning not is_cancelled
$$;

-- A process has ended its work: with a summary, and with a reason where it stopped before the end. Whether it still had it.
create or replace function import_job_end(p_job uuid, p_worker uuid, p_summary jsonb, p_reason text) returns boolean
language plpgsql as $$
declare
  v_job import_jobs;
begin
  update import_jobs
     set state = case when p_reason is not null then 'stopped' when work = 'check' then 'checked' else 'ended' end,
         reason = p_reason, worker = null, beat_at = meter_now(),
         ended_at = case work when 'undo' then ended_at else meter_now() end,
         undone_at = case when work = 'undo' and p_reason is null then meter_now() else undone_at end,
         preview = case work when 'check' then coalesce(p_summary, preview) else preview end,
         preview_version = case when work = 'check' and p_reason is null then version else preview_version end,
         result = case work when 'import' then coalesce(p_summary, result) else result end
   where id = p_job and worker = p_worker and state in ('checking', 'importing', 'undoing')
  returning * into v_job;
  if v_job.state = 'ended' then
    perform import_job_forget(p_job);
  end if;
  -- It may have read their rows before, and named them after.
  if exists (select from erasures where at >= v_job.begun_at) then
    perform import_findings_forget(p_job);
  end if;
  return v_job.id is not null;
end $$;

-- Takes back all that the runs of a job changed, in the name of who asked for it, and ends the work: both or neither. The job's row is
-- locked at the end alone, because the process says meanwhile that it is at work. Returns the number of the change that this is.
create or replace function import_job_undo(p_job uuid, p_worker uuid) returns bigint language plpgsql as $$
declare
  v_change bigint;
  v_by jsonb;
  v_number bigint;
begin
  select change, undo_by into v_change, v_by from import_jobs where id = p_job and worker = p_worker and state = 'undoing';
  perform set_config('chainkin.change', jsonb_build_object('by', v_by)::text, true);
  v_number := undo_change(v_change, v_by->>'who');
  if not import_job_end(p_job, p_worker, null, null) then
    perform refuse_change('another process has taken its place');
  end if;
  return v_number;
end $$;

-- Cancels what is under way: an upload is gone, work stops after the batch in hand. Null where nothing is under way. An undo that has begun
-- is done all at once.
create or replace function import_job_cancel(p_job uuid) returns boolean language plpgsql as $$
declare
  v_job import_jobs;
begin
  select * into v_job from import_jobs where id = p_job for update;
  if v_job.state = 'uploading' then
    delete from import_jobs where id = p_job;
  elsif v_job.state in ('checking', 'importing', 'undoing') and v_job.worker is null then
    update import_jobs set state = 'stopped', reason = 'cancelled', ended_at = case work when 'undo' then ended_at else meter_now() end
     where id = p_job;
  elsif import_job_is_at_work(v_job) and v_job.state = 'undoing' then
    perform refuse_change('it is being undone, all at once: wait for the end');
  elsif import_job_is_at_work(v_job) and not v_job.is_cancelled then
    update import_jobs set is_cancelled = true where id = p_job;
  else
    return null;
  end if;
  return true;
end $$;

-- Deletes a job, and its file where it is still there. What it imported stays. Null where there is none.
create or replace function import_job_delete(p_job uuid) returns boolean language plpgsql as $$
begin
  if (select import_job_is_at_work(j) from import_jobs j where id = p_job for update) then
    perform refuse_change('it is at work: cancel it first, or wait for the end');
  end if;
  delete from import_jobs where id = p_job;
  return nullif(found, false);
end $$;

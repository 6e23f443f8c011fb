-- The first row of the change log (`functions/directory/changes.sql`). The log is never empty: its oldest row tells a
-- follower whether anything that it has not read was trimmed.
insert into change_log (kind, id) values ('rebuild', '00000000-0000-0000-0000-000000000000');

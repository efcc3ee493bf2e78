"""One module a part of what is made. Each has `made(desk, seeds)`, which has things made and answers what there is to know of
them as JSON, and `rows(folder, found, seeds)`, what the files in the folder are worth. To judge something else, add a
module here and its name to `MAKING`."""

from . import carried, dubs, films, mixing, models, pictures, projects, rendering

MAKING = {
    "films": films,
    "mixing": mixing,
    "carried": carried,
    "pictures": pictures,
    "dubs": dubs,
    "models": models,
    "projects": projects,
    "rendering": rendering,
}
